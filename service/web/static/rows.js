// The list of moves: the rows the server left out, new ones as they come, and the one in sight.

export class Rows {
  constructor(root, go) {
    this.list = root.querySelector("[data-rows]");
    this.template = root.querySelector("template");
    this.list.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      event.preventDefault();
      go(+new URL(link.href).searchParams.get("at"));
    });
    this.players = [...root.querySelectorAll(".player")];
  }

  /** Add what is missing of a whole match, before and behind the rows that are there. */
  fill(frames) {
    const first = +this.list.dataset.first;
    const shown = this.list.children.length;
    const before = frames.filter((frame) => frame.id < first);
    const behind = frames.filter((frame) => frame.id >= first + shown);
    this.list.prepend(...before.map((frame) => this.#row(frame)));
    this.list.append(...behind.map((frame) => this.#row(frame)));
    // One stop for the tab key, not hundreds: the arrow keys go through the moves.
    for (const link of this.list.querySelectorAll("a:not([aria-current])")) link.tabIndex = -1;
    const current = this.list.querySelector("[aria-current]");
    if (current) this.#reveal(current);
  }

  add(frame) { this.list.append(this.#row(frame)); }

  mark(number) {
    const before = this.list.querySelector("[aria-current]");
    before?.removeAttribute("aria-current");
    if (before) before.tabIndex = -1;
    const link = this.list.children[number - 1]?.querySelector("a");
    if (!link) return;
    link.setAttribute("aria-current", "step");
    link.tabIndex = 0;
    this.#reveal(link);
  }

  /** Scroll the list, never the page. */
  #reveal(link) {
    const row = link.parentElement;
    const top = row.offsetTop - this.list.offsetTop;
    if (top < this.list.scrollTop || top + row.offsetHeight > this.list.scrollTop + this.list.clientHeight) {
      this.list.scrollTop = top - this.list.clientHeight / 2;
    }
  }

  #row(frame) {
    const row = this.template.content.firstElementChild.cloneNode(true);
    const put = (selector, text) => { row.querySelector(selector).textContent = text ?? ""; };
    Object.assign(row.querySelector("a"), { href: `?at=${frame.id}`, tabIndex: -1 });
    put(".n", frame.turn);
    put(".mv", frame.move || { started: "start", fault: "fault", finished: "end" }[frame.kind]);
    put(".took", frame.took || frame.by);
    this.#seat(row.querySelector(".mk"), frame.seat);
    put(".comment bdi", frame.comment);
    if (frame.fault) {
      put(".fault .why", `${frame.fault.reason.replaceAll("-", " ")}: `);
      put(".fault .detail", frame.fault.detail);
      put(".fault .got", frame.fault.got === null ? "" : ` came: ${frame.fault.got}`);
    }
    put(".end", frame.result ? frame.say : "");
    put(".receipt", frame.receipt);
    for (const part of row.querySelectorAll("p")) if (!part.textContent.trim()) part.remove();
    return row;
  }

  #seat(mark, seat) {
    if (seat === undefined) return;
    const { look, side } = this.players[seat].dataset;
    mark.classList.add(look[0]);
    mark.title = side;
    if ("xo".includes(look[0])) mark.textContent = side;
  }
}
