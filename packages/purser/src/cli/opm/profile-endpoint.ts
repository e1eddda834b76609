import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Session } from "node:inspector/promises";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { hostAndPort } from "../host-and-port.ts";

export interface ProfileEndpoint {
  readonly address: string;
  /** Ends the startup profile, which can be fetched from then on. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

const longestProfileSeconds = 60;

/**
 * Serves the command line and CPU profiles of this process below `/debug/pprof/`, in V8's format, which browsers'
 * developer tools can open. With `captureStart` the time until {@link ProfileEndpoint.ready} is profiled.
 */
export async function serveProfiles(
  address: string,
  options: { readonly captureStart: boolean; readonly clock: Clock; readonly argv: readonly string[] },
): Promise<Result<ProfileEndpoint, string>> {
  const { clock, argv } = options;
  const [host, port] = hostAndPort(address);
  if (port === undefined) return failed(`listen tcp: address ${address}: missing port in address`);
  const start = options.captureStart ? await beginProfile() : undefined;
  const stopping = new AbortController();
  let startProfile: string | undefined;
  let isReady = false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const answer = (status: number, text: string, type = "text/plain; charset=utf-8"): void => {
      response.writeHead(status, { "Content-Type": type, "X-Content-Type-Options": "nosniff" }).end(text);
    };
    switch (url.pathname) {
      case "/debug/pprof/":
        return answer(200, "cmdline\nprofile?seconds=N\nstartup/cpu\n");
      case "/debug/pprof/cmdline":
        return answer(200, argv.join("\0"));
      case "/debug/pprof/startup/cpu":
        if (!isReady) return answer(503, "");
        if (startProfile !== undefined) return answer(200, startProfile, "application/json");
        return answer(404, "no profile of the start was taken: use --pprof-capture-profiles\n");
      case "/debug/pprof/symbol":
      case "/debug/pprof/trace":
        return answer(501, "only CPU profiles in V8's format are served here\n");
      case "/debug/pprof/profile": {
        const seconds = Number(url.searchParams.get("seconds") ?? "30");
        if (!(seconds > 0 && seconds <= longestProfileSeconds))
          return answer(400, `seconds must be more than 0 and at most ${longestProfileSeconds}\n`);
        void profileFor(seconds * 1000, clock, stopping.signal).then(
          (profile) => answer(200, profile, "application/json"),
          (error: unknown) => answer(500, `${String(error)}\n`),
        );
        return;
      }
      default:
        return answer(404, "404 page not found\n");
    }
  });
  server.headersTimeout = 10_000;
  const listening = await new Promise<Result<string, string>>((resolve) => {
    server.once("error", (error) => resolve(failed(error.message)));
    server.listen(port, host, () => resolve(done(shown(server.address()))));
  });
  if (!listening.ok) {
    await start?.();
    return listening;
  }
  return done({
    address: listening.value,
    async ready() {
      startProfile = await start?.();
      isReady = true;
    },
    close: () => {
      stopping.abort(new Error("stopped"));
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
}

function shown(address: AddressInfo | string | null): string {
  return address === null || typeof address === "string" ? String(address) : `${address.address}:${address.port}`;
}

/** Starts a CPU profile; the returned function ends it and returns its JSON. */
async function beginProfile(): Promise<() => Promise<string>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    return JSON.stringify(profile);
  };
}

async function profileFor(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<string> {
  const end = await beginProfile();
  await clock.sleep(milliseconds, signal).catch(() => undefined);
  return end();
}
