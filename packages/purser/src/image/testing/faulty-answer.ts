import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./fault.ts";

const codes: Readonly<Record<number, string>> = {
  401: "UNAUTHORIZED",
  403: "DENIED",
  404: "NOT_FOUND",
  429: "TOOMANYREQUESTS",
};

/** Answers a request in the faulty way; `content` is what a good registry would send. */
export function answerWithFault(
  response: ServerResponse,
  fault: Fault,
  request: IncomingMessage,
  content: Uint8Array,
): void {
  switch (fault.kind) {
    case "status": {
      const errors = { errors: [{ code: codes[fault.status] ?? "UNKNOWN", message: "planned" }] };
      response.writeHead(fault.status, { "Content-Type": "application/json", ...fault.headers });
      response.end(fault.body ?? JSON.stringify(errors));
      return;
    }
    case "html":
      response.writeHead(200, { "Content-Type": "text/html" }).end("<html><body>Please log in</body></html>");
      return;
    case "headWithBody": {
      const lines = [`HTTP/1.1 200 OK`, `Content-Length: ${content.length}`].concat(
        Object.entries(response.getHeaders()).map(([name, value]) => `${name}: ${String(value)}`),
      );
      response.socket?.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), content]));
      return;
    }
    case "wrongContent": {
      const changed = Buffer.from(content);
      changed[0] = (changed[0] ?? 0) ^ 1;
      response.end(changed);
      return;
    }
    case "truncated":
      response.end(content.subarray(0, content.length / 2));
      return;
    case "reset": {
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      if (start > 0) response.setHeader("Content-Range", `bytes ${start}-${content.length - 1}/${content.length}`);
      response.writeHead(start > 0 ? 206 : 200, { "Content-Length": content.length - start });
      // The part has to be on the wire before the connection breaks.
      response.write(content.subarray(start, start + fault.afterBytes), () => response.socket?.resetAndDestroy());
      return;
    }
    case "redirectLoop":
      response.writeHead(307, { Location: request.url ?? "/" }).end();
      return;
    case "redirect":
      response.writeHead(fault.status ?? 307, { Location: fault.to.replace("{path}", request.url ?? "") }).end();
      return;
    case "endlessChunks":
      sendSpaces(response, request, Number.POSITIVE_INFINITY);
      return;
    case "huge":
      response.setHeader("Content-Length", fault.bytes);
      sendSpaces(response, request, fault.bytes);
      return;
    case "trickle": {
      response.setHeader("Content-Length", content.length);
      if (request.method === "HEAD") {
        response.end();
        return;
      }
      let sent = 0;
      const timer = setInterval(() => response.write(content.subarray(sent, ++sent)), fault.everyMs);
      response.on("close", () => clearInterval(timer));
      return;
    }
    case "silent":
      return;
    case "body":
      response.writeHead(200, { "Content-Type": fault.contentType }).end(fault.body);
      return;
    case "contentType":
      response.writeHead(200, { "Content-Type": fault.contentType });
      response.end(request.method === "HEAD" ? undefined : content);
      return;
    case "noDigestHeader":
      response.removeHeader("Docker-Content-Digest");
      response.end(request.method === "HEAD" ? undefined : content);
      return;
    case "ignoresRange":
      response.end(content);
      return;
    case "laterRange": {
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) + 1;
      response.setHeader("Content-Range", `bytes ${start}-${content.length - 1}/${content.length}`);
      response.writeHead(206).end(content.subarray(start));
      return;
    }
    case "unnamedRange":
      response
        .writeHead(206)
        .end(content.subarray(Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0)));
      return;
    case "wrongRange":
      response.setHeader("Content-Range", `bytes 0-${content.length - 1}/${content.length}`);
      response.writeHead(206).end(content);
      return;
  }
}

function sendSpaces(response: ServerResponse, request: IncomingMessage, bytes: number): void {
  const chunk = Buffer.alloc(65_536, " ");
  let left = request.method === "HEAD" ? 0 : bytes;
  const send = (): void => {
    while (left > 0 && !response.destroyed) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
      left -= part.length;
      if (!response.write(part)) {
        response.once("drain", send);
        return;
      }
    }
    response.end();
  };
  send();
}
