// One match: replayed by buttons, slider and keys, followed while it goes on, with running clocks.
import { Board, piecesOf, positionsOf } from "./board.js";
import { clockText } from "./clocks.js";
import { follow } from "./feed.js";
import { Rows } from "./rows.js";
import { reload } from "./refresh.js";

const PAUSE_MS = 650;
const HURRY_MS = 250; // moves that follow one another faster are shown without their motions

/** `frames` are given for a record from a file; otherwise they are fetched. */
export async function startMatch(root, frames) {
  const source = root.dataset.source;
  if (!frames) {
    if (!source) return;
    const answer = await fetch(`${source}/frames`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    frames = (await answer.json()).items;
  }
  const viewer = new Viewer(root, frames);
  if (source && "live" in root.dataset) viewer.followFrom(`${source}/frames`);
}

class Viewer {
  constructor(root, frames) {
    this.root = root;
    this.frames = frames;
    this.board = new Board(root.querySelector("svg.board"));
    this.start = piecesOf(this.board.svg);
    this.positions = positionsOf(frames, this.start);
    this.#turned();
    this.number = +root.dataset.number;
    this.live = "live" in root.dataset;
    this.free = +(root.dataset.free ?? 0); // of every turn, ms: a delay
    this.period = +(root.dataset.period ?? 0); // of byo-yomi, ms
    this.rows = new Rows(root, (number) => this.go(number));
    this.rows.fill(frames);
    this.play = root.querySelector("[data-play]");
    this.slider = root.querySelector("[data-slider]");
    this.speed = root.querySelector("[data-speed]");
    this.players = [...root.querySelectorAll(".player")];
    this.#listen();
    this.#controls();
    if (this.live) this.#tick();
    root.dataset.ready = "";
    if ("following" in root.dataset && this.number < this.last) this.go(this.last, false);
  }

  get last() { return this.frames.length; }

  /** Go to a frame; the next one is animated, others are jumped to. */
  async go(number, animate = number === this.number + 1) {
    number = Math.min(Math.max(number, 1), this.last);
    if (!this.last) return;
    this.number = number;
    const frame = this.frames[number - 1];
    this.moved = true;
    this.#controls();
    this.#tell(frame);
    this.rows.mark(number);
    const position = this.positions[number - 1];
    await this.board.show(position, animate ? frame.moved : null, +this.speed.value);
  }

  followFrom(url) {
    follow(url, this.last, (frame) => this.#add(frame), () => this.#over());
  }

  #add(frame) {
    if (frame.id !== this.last + 1) return;
    const before = this.last ? this.positions[this.last - 1].pieces : this.start;
    const atEnd = this.number === this.last;
    this.frames.push(frame);
    this.#turned();
    this.positions.push(...positionsOf([frame], before));
    this.rows.add(frame);
    this.slider.max = this.last;
    const hurried = performance.now() - (this.added || 0) < HURRY_MS;
    this.added = performance.now();
    if (atEnd) this.go(this.last, !hurried);
    else this.#controls();
    if (frame.kind === "finished") this.#over();
  }

  /** Note when the turn began that goes on now, by this browser's clock. */
  #turned() {
    this.since = performance.now() - (this.frames.at(-1)?.age_ms ?? 0);
  }

  #over() {
    this.live = false;
    delete this.root.dataset.live;
    this.#controls();
    reload(["verdict", "state", "after"]);
    if (this.frames.some((frame) => frame.hands)) this.#reveal();
  }

  /** Hands that were hidden are known once a match is over. */
  async #reveal() {
    const answer = await fetch(`${this.root.dataset.source}/frames`, { headers: { Accept: "application/json" } });
    if (answer.ok) this.frames = (await answer.json()).items;
    this.#tell(this.frames[this.number - 1]);
  }

  #listen() {
    const steps = { first: () => 1, back: () => this.number - 1, on: () => this.number + 1, last: () => this.last };
    for (const link of this.root.querySelectorAll("[data-step]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.#stop();
        this.go(steps[link.dataset.step]());
      });
    }
    this.slider.addEventListener("input", () => {
      const wanted = +this.slider.value;
      this.#stop();
      this.go(wanted, false);
    });
    this.play.addEventListener("click", () => (this.playing ? this.#stop() : this.#run()));
    document.addEventListener("keydown", (event) => this.#key(event, steps));
    const details = document.querySelector("[data-position]");
    if (details) details.addEventListener("toggle", () => this.#position());
  }

  #key(event, steps) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const step = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (step) {
      event.preventDefault();
      this.#stop();
      this.go(steps[step]());
    } else if (event.key === " " && !event.target.closest("button, summary")) {
      event.preventDefault();
      if (this.playing) this.#stop(); else this.#run();
    }
  }

  async #run() {
    this.playing = true;
    this.#controls();
    if (this.number === this.last) await this.go(1, false);
    while (this.playing && this.number < this.last) {
      await this.go(this.number + 1, true);
      await new Promise((done) => { setTimeout(done, PAUSE_MS / +this.speed.value); });
    }
    this.#stop();
  }

  #stop() {
    this.playing = false;
    this.#controls();
  }

  #controls() {
    const { number, last } = this;
    const ways = { first: [1, number > 1], back: [number - 1, number > 1], on: [number + 1, number < last], last: [last, number < last] };
    for (const link of this.root.querySelectorAll("[data-step]")) {
      const [to, possible] = ways[link.dataset.step];
      if (possible) link.href = `?at=${to}`;
      else link.removeAttribute("href");
      for (const [name, value] of [["role", "link"], ["aria-disabled", "true"]]) {
        if (possible) link.removeAttribute(name);
        else link.setAttribute(name, value);
      }
    }
    this.slider.max = Math.max(last, 1);
    this.slider.value = Math.max(number, 1);
    this.slider.setAttribute("aria-valuetext", `${number} of ${last}`);
    this.play.setAttribute("aria-pressed", String(Boolean(this.playing)));
    this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.play.querySelector("path").setAttribute("d", this.playing ? "M7 5h4v14H7zM14 5h4v14h-4z" : "M7 4.5v15L20 12z");
    this.root.querySelector("[data-count]").textContent = `${number} of ${last}`;
    if (this.root.dataset.source && this.moved) {
      history.replaceState(null, "", number === last ? location.pathname : `?at=${number}`);
    }
  }

  #tell(frame) {
    const say = this.root.querySelector("[data-say]");
    const who = document.createElement("bdi");
    who.textContent = this.#names(frame);
    say.replaceChildren(who, who.textContent ? " " : "", frame.seat === undefined && !frame.result ? frame.say : `${frame.say}.`);
    const turn = frame.kind === "finished" ? null : frame.to_move;
    const { svg } = this.board;
    svg.setAttribute("aria-label", svg.dataset.title + (frame.move ? ` after ${frame.move}` : ""));
    this.players.forEach((player, seat) => {
      player.toggleAttribute("data-turn", seat === turn);
      if (frame.clock) player.querySelector("[data-clock]").textContent = this.#clock(frame, seat, 0);
      player.querySelector("[data-stand]").textContent = (frame.stands || [])[seat] || "";
      const hand = player.querySelector("[data-hand]");
      if (hand && frame.hands) hand.replaceChildren(...cards(frame.hands[seat]));
    });
    this.#position();
  }

  #names(frame) {
    const name = (seat) => this.players[seat].querySelector(".name bdi").textContent;
    if (frame.seat !== undefined) return name(frame.seat);
    if (!frame.result || frame.result.outcome !== "decided") return "";
    const winners = frame.result.placing.flatMap((place, seat) => (place === 1 ? [name(seat)] : []));
    return [...new Set(winners)].join(" and ");
  }

  /** The clock of the seat to move runs down from when its turn began, while the newest frame is in sight. */
  #tick() {
    setInterval(() => {
      const frame = this.frames[this.last - 1];
      if (!this.live || !frame || this.number !== this.last || frame.to_move === null) return;
      const gone = Math.max(performance.now() - this.since - this.free, 0);
      const clock = this.players[frame.to_move].querySelector("[data-clock]");
      if (frame.clock) clock.textContent = this.#clock(frame, frame.to_move, gone);
    }, 100);
  }

  /** A seat's clock, `gone` ms after the frame. */
  #clock(frame, seat, gone) {
    return clockText(frame.clock[seat] - gone, frame.periods?.[seat], this.period);
  }

  async #position() {
    const details = document.querySelector("[data-position]");
    if (!details || !details.open || !this.root.dataset.source) return;
    const number = this.number;
    const answer = await fetch(`${this.root.dataset.source}/position?at=${number}`);
    if (answer.ok && number === this.number) details.querySelector("[data-position-text]").textContent = await answer.text();
  }
}

/** A hand's cards, or so many backs. */
function cards(hand) {
  const list = typeof hand === "number" ? Array(hand).fill(null) : hand;
  return list.map((card) => {
    const span = document.createElement("span");
    span.textContent = card ?? "?";
    if (card === null) span.className = "down";
    return span;
  });
}
