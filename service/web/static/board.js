// A board: puts pieces where a position has them, and moves them there. It knows no game: positions, ways and
// looks come from the server.

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The positions of a match from its frames: for each, the pieces as [look, x, y], marks, short texts. */
export function positionsOf(frames, before) {
  const out = [];
  let pieces = before;
  for (const frame of frames) {
    pieces = pieces.slice();
    (frame.set || []).forEach((piece, index) => { pieces[index] = piece; });
    for (const [index, look, , ...ways] of frame.moved || []) pieces[index] = [look, ...ways.slice(-2)];
    out.push({ pieces, marks: frame.marks || [], slots: frame.slots || {} });
  }
  return out;
}

/** The pieces that a board drawn by the server shows. */
export function piecesOf(svg) {
  return [...svg.querySelectorAll(".pieces use")].map((use) => [
    use.getAttribute("href").replace("#look-", ""), +use.getAttribute("x"), +use.getAttribute("y"),
  ]);
}

export class Board {
  constructor(svg) {
    this.svg = svg;
    this.layer = svg.querySelector(".pieces");
    this.marks = svg.querySelector(".marks");
    this.uses = [...this.layer.children];
    this.beat = +svg.dataset.beat;
    this.run = 0;
  }

  /** Show a position. With `moved` (and unless motion is unwanted) its pieces go there; resolves when they are. */
  async show(position, moved, speed = 1) {
    const run = ++this.run;
    if (moved && moved.length && !still.matches && !document.hidden) {
      this.#mark([]);
      await this.#move(moved, speed, run);
      if (run !== this.run) return;
    }
    position.pieces.forEach((piece, index) => this.#put(index, ...piece));
    this.#mark(position.marks);
    this.#write(position.slots);
  }

  #put(index, look, x, y) {
    const use = this.uses[index];
    use.setAttribute("href", `#look-${look}`);
    use.setAttribute("x", x);
    use.setAttribute("y", y);
  }

  #mark(marks) {
    this.marks.replaceChildren(...marks.map(([look, x, y]) => {
      const use = document.createElementNS(this.svg.namespaceURI, "use");
      use.setAttribute("href", `#mark-${this.svg.dataset.family}-${look}`);
      use.setAttribute("x", x);
      use.setAttribute("y", y);
      return use;
    }));
  }

  #write(slots) {
    for (const slot of this.svg.querySelectorAll("[data-slot]")) {
      const text = slots[slot.dataset.slot] || "";
      slot.querySelector("text").textContent = text;
      slot.toggleAttribute("data-empty", !text);
      slot.toggleAttribute("data-long", text.length > 2);
    }
  }

  /** Every piece along its way; long ways are hurried so that no move takes much more than a second. */
  #move(moved, speed, run) {
    const ways = moved.map(([index, look, first, ...flat]) => {
      const use = this.uses[index];
      const points = [[+use.getAttribute("x"), +use.getAttribute("y")]];
      for (let i = 0; i < flat.length; i += 2) points.push([flat[i], flat[i + 1]]);
      this.layer.append(use);
      return { index, look, first, points };
    });
    const beats = Math.max(...ways.map((way) => way.first + way.points.length - 1));
    const length = Math.min(beats * this.beat, 1300) / speed;
    return new Promise((done) => {
      const began = performance.now();
      const tick = (now) => {
        if (run !== this.run) return done();
        const at = Math.min(Math.max((now - began) / length, 0), 1) * beats;
        for (const way of ways) this.#place(way, at);
        if (at < beats) requestAnimationFrame(tick);
        else done();
      };
      requestAnimationFrame(tick);
    });
  }

  #place(way, at) {
    const gone = Math.min(Math.max(at - way.first, 0), way.points.length - 1);
    const leg = Math.min(Math.floor(gone), way.points.length - 2);
    const part = ease(gone - leg);
    const [x, y] = way.points[leg].map((from, axis) => from + (way.points[leg + 1][axis] - from) * part);
    const use = this.uses[way.index];
    use.setAttribute("x", x.toFixed(1));
    use.setAttribute("y", y.toFixed(1));
    if (gone >= 1) use.setAttribute("href", `#look-${way.look}`);
  }
}

const ease = (t) => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t));
