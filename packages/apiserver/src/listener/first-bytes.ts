import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { Clock } from "@purser/kubernetes/clock";
import { linger } from "./socket-refusal.ts";

/** First byte of a TLS handshake record. */
const handshakeByte = 0x16;
const plainHttp = /^(?:GET |HEAD|POST|PUT |PATC|DELE|OPTI|CONN|TRAC)/;
/** Go's response; HTTP 1.0 because the client may not support a later version. */
const plainHttpAnswer = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/**
 * Checks the first bytes of every connection: TLS is passed to the server, plain HTTP gets a 400 response, everything
 * else is closed, as are connections without data for `silenceMs`. Returns all open connections; the server itself does
 * not list those without a request.
 */
export function lookFirst(server: Server, clock: Clock, silenceMs: number): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const secure = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    const ignore = (): void => undefined;
    const silent = (): void => void socket.destroy();
    socket.on("error", ignore);
    socket.setTimeout(silenceMs, silent);
    let head = "";
    const look = (chunk: Buffer): void => {
      if (head === "" && chunk[0] === handshakeByte) {
        socket.pause();
        socket.removeListener("data", look);
        socket.removeListener("timeout", silent);
        socket.setTimeout(0);
        socket.removeListener("error", ignore);
        socket.unshift(chunk);
        for (const listener of secure) listener.call(server, socket);
        return;
      }
      head += chunk.toString("latin1");
      if (head.length < 4) return;
      socket.removeListener("data", look);
      if (plainHttp.test(head)) {
        socket.end(plainHttpAnswer);
        void linger(socket, clock);
      } else socket.destroy();
    };
    socket.on("data", look);
  });
  return open;
}
