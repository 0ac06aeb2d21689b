// The front page's boards, alive: one stream for all of them, drawn anew when one of them has ended.
import { Board, piecesOf, positionsOf } from "./board.js";
import { reload } from "./refresh.js";

const STAY_MS = 4000;
const LOOK_MS = 15000;

export function startBoards() {
  const section = document.getElementById("playing");
  if (!section || section.dataset.boards === undefined) return;
  const cards = new Map();
  for (const card of document.querySelectorAll("[data-match-id]")) {
    const board = new Board(card.querySelector("svg.board"));
    cards.set(card.dataset.matchId, { board, number: +card.dataset.number, pieces: piecesOf(board.svg), queue: Promise.resolve() });
  }
  const running = section.dataset.boards.trim().split(" ").filter(Boolean);
  if (!running.length) { anew(LOOK_MS); return; }
  const url = new URL("/live", location.href);
  running.forEach((id) => url.searchParams.append("m", id));
  url.searchParams.set("after", running.map((id) => cards.get(id).number).join("."));
  const source = new EventSource(url);
  source.addEventListener("frame", (event) => {
    const frame = JSON.parse(event.data);
    const card = cards.get(frame.match);
    const [position] = positionsOf([frame], card.pieces);
    card.pieces = position.pieces;
    card.queue = card.queue.then(() => card.board.show(position, frame.moved, 2));
    if (frame.kind === "finished") { source.close(); anew(STAY_MS); }
  });
  source.addEventListener("over", () => { source.close(); anew(STAY_MS); });
}

function anew(ms) {
  setTimeout(async () => {
    await reload(["featured", "playing"]);
    startBoards();
  }, ms);
}
