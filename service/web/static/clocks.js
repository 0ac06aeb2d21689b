// What is left on a clock, written as the server writes it: 1:05, 0:08.4 below ten seconds, and 0:27 × 3 once
// the main time is used up (less than nothing is left of it, then) and three periods of byo-yomi are left.
export function clockText(ms, periods = 0, periodMs = 0) {
  if (ms <= 0 && periods && periodMs) {
    const used = Math.floor(-ms / periodMs);
    return used < periods ? `${clockText(periodMs + ms + used * periodMs)} × ${periods - used}` : clockText(0);
  }
  const left = Math.max(Math.floor(ms), 0);
  const seconds = Math.floor(left / 1000);
  const minutes = Math.floor(seconds / 60);
  const pad = (number) => String(number).padStart(2, "0");
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
  const tenths = minutes === 0 && seconds < 10 ? `.${Math.floor((left % 1000) / 100)}` : "";
  return `${minutes}:${pad(seconds % 60)}${tenths}`;
}
