// A record's file, dropped or chosen: sent to be checked and shown on this very page.
import { startMatch } from "./match.js";

export function startDrop() {
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  const file = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.dataset.over = ""; });
  form.addEventListener("dragleave", () => { delete form.dataset.over; });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    delete form.dataset.over;
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    show(form);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); show(form); });
}

async function show(form) {
  const problem = form.querySelector("[data-problem]");
  problem.textContent = "";
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { Accept: "application/json" } });
  if (!answer.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    problem.textContent = page.querySelector("main p")?.textContent || `That did not work (${answer.status}).`;
    return;
  }
  const { page, frames } = await answer.json();
  const fresh = new DOMParser().parseFromString(page, "text/html");
  document.title = fresh.title;
  document.getElementById("main").replaceWith(fresh.getElementById("main"));
  document.getElementById("main").classList.remove("narrow");
  startMatch(document.querySelector("[data-match]"), frames);
}
