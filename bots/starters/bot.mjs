// my-bot plays quixo, with nothing but Node's standard library. Change `choose`; the rest runs as it is.
//
//     ARBITER_BOT_SECRET=whsec_… ARBITER_BOT_PORT=9000 node my_bot.mjs

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = Buffer.from((process.env.ARBITER_BOT_SECRET ?? "").replace(/^whsec_/, ""), "base64");

// A move's text or its index in legal_moves; `state`, `view`, `history` and `clock` say the rest.
function choose(message) {
  return message.legal_moves[Math.floor(Math.random() * message.legal_moves.length)];
}

function answer(message) {
  switch (message.type) {
    case "move":
      return { move: choose(message) };
    case "verify":
      return { answer: createHmac("sha256", secret).update(`arbiter-verify-v1\n${message.challenge}`).digest("hex") };
    default: // start and end
      return {};
  }
}

// Whether the service sent this, and within the last five minutes.
function isSigned(headers, body) {
  if (secret.length === 0) return true;
  const stamp = headers["webhook-timestamp"] ?? "";
  if (!/^\d+$/.test(stamp) || Math.abs(Date.now() / 1000 - Number(stamp)) > 300) return false;
  const wanted = createHmac("sha256", secret).update(`${headers["webhook-id"]}.${stamp}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((value) => {
    const given = Buffer.from(value.replace(/^v1,/, ""), "base64");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function send(response, status, reply) {
  const body = JSON.stringify(reply);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (isSigned(request.headers, body)) send(response, 200, answer(JSON.parse(body)));
    else send(response, 401, { error: "wrong signature" });
  });
});

server.keepAliveTimeout = 600_000; // Node closes an idle connection after 5 s otherwise
server.listen(Number(process.env.ARBITER_BOT_PORT ?? 9000), "127.0.0.1", () => {
  console.log(`my-bot listening at http://127.0.0.1:${server.address().port}/`);
});
