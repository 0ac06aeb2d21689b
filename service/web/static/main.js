// Finds what a page has that can be alive, and brings it to life. Without this file every page can be read.
import { startMatch } from "./match.js";
import { startBoards } from "./boards.js";
import { startRefresh } from "./refresh.js";
import { startDrop } from "./drop.js";

document.documentElement.classList.add("js");

const match = document.querySelector("[data-match]");
if (match) startMatch(match);
startBoards();
startRefresh();
startDrop();
