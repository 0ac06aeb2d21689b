// Parts of a page that the server draws anew: when something has happened, after a while, or once.

const DEBOUNCE_MS = 1200;
const LATER_MS = 2000;

/** Read an address and replace those parts of this page (by id) that it has. */
export async function reload(ids, url = location.href) {
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const [old, now] = [document.getElementById(id), fresh.getElementById(id)];
    if (!old || old.contains(document.activeElement) || old.outerHTML === now?.outerHTML) continue;
    if (!now) { old.remove(); continue; }
    old.replaceWith(now);
    load(now);
  }
}

/** Fetch what a part says is to be had elsewhere. */
function load(root) {
  for (const part of root.querySelectorAll("[data-load]")) reload([part.id], part.dataset.load);
}

export function startRefresh() {
  load(document);
  for (const part of document.querySelectorAll("[data-refresh]")) again(part.id);
  const news = document.querySelector("[data-news]");
  if (news) listen(news.dataset.news);
}

/** Look again now and then, as long as the part says so, also at the parts that it names. */
function again(id) {
  const ids = [id, ...document.getElementById(id).dataset.refresh.split(" ").filter(Boolean)];
  setTimeout(async () => {
    await reload(ids).catch(() => {}); // away for a moment: look again
    if (document.getElementById(id)?.dataset.refresh !== undefined) again(id);
  }, LATER_MS);
}

/** Draw a tournament's tables anew when something has happened in it. */
function listen(url) {
  let waiting = null;
  const parts = ["head", "care", "standings", "cross", "rounds"];
  const source = new EventSource(url);
  const heard = () => {
    waiting ??= setTimeout(() => { waiting = null; reload(parts); }, DEBOUNCE_MS);
  };
  for (const kind of ["state", "result", "void"]) source.addEventListener(kind, heard);
  source.addEventListener("over", () => { source.close(); heard(); });
}
