// New frames as they come: server-sent events, or long polls where those do not get through.

const TRIES = 3;

/** Calls `take(frame)` for every new frame behind `after`, `end()` when no more will come. Returns a stop. */
export function follow(url, after, take, end) {
  let stopped = false;
  let source = null;
  let failures = 0;

  const taken = (text) => {
    const frame = JSON.parse(text);
    after = frame.id;
    failures = 0;
    take(frame);
  };

  const stream = () => {
    source = new EventSource(address(url, after, 0));
    source.addEventListener("frame", (event) => taken(event.data));
    source.addEventListener("over", () => { stop(); end(); });
    source.onerror = () => {
      source.close();
      failures += 1;
      if (!stopped) setTimeout(failures < TRIES ? stream : poll, 500 * failures);
    };
  };

  const poll = async () => {
    while (!stopped) {
      try {
        const answer = await fetch(address(url, after, 20), { headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Error(String(answer.status));
        const page = await answer.json();
        if (stopped) return;
        for (const frame of page.items) taken(JSON.stringify(frame));
        if (page.over) { stop(); end(); }
      } catch {
        await new Promise((done) => { setTimeout(done, 3000); });
      }
    }
  };

  const stop = () => { stopped = true; if (source) source.close(); };
  if ("EventSource" in window) stream();
  else poll();
  return stop;
}

function address(url, after, wait) {
  const full = new URL(url, location.href);
  full.searchParams.set("after", after);
  if (wait) full.searchParams.set("wait", wait);
  return full;
}
