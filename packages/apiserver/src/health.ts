import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Machinery } from "./machinery.ts";
import type { Answer } from "./request/answer.ts";
import { pageNotFound } from "./request/answer.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

type Server = Pick<Machinery, "stopping" | "storage">;

/** A check's name, and its problem if any; without that function the check passes whenever the server answers. */
type Check = readonly [name: string, problem?: (server: Server) => string | undefined];

/**
 * What is checked, under Kubernetes' names and in its order. A post-start hook stands for what `createApiServer` has
 * done before it resolves; hooks of parts that this server does not have are left out.
 */
const alive: readonly Check[] = [["ping"], ["log"]];
/** A restart would not bring the files back, so a server that lost them stays alive, and serves reads. */
const files = ({ storage }: Server): string | undefined => storage.detached()?.message;
const before: readonly Check[] = [...alive, ["etcd"]];
const beforeReady: readonly Check[] = [...alive, ["etcd", files], ["etcd-readiness", files], ["informer-sync"]];
const started: readonly Check[] = [
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "start-cluster-authentication-info-controller",
  "storage-readiness",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "bootstrap-controller",
  "apiservice-registration-controller",
  "kube-apiserver-autoregistration",
].map((hook): Check => [`poststarthook/${hook}`]);
const registered: readonly Check[] = [["autoregister-completion"]];
const stopping: readonly Check[] = [
  ["shutdown", ({ stopping: { aborted } }) => (aborted ? "process is shutting down" : undefined)],
];

const checks: Readonly<Record<HealthEndpoint, readonly Check[]>> = {
  healthz: [...before, ...started, ...registered],
  livez: [...before, ...started, ...registered],
  readyz: [...beforeReady, ...started, ...registered, ...stopping],
};

/** Every path below an endpoint that answers for one check. */
export function healthPaths(): readonly string[] {
  return (["healthz", "livez", "readyz"] as const).flatMap((endpoint) => [
    `/${endpoint}`,
    ...checks[endpoint].map(([name]) => `/${endpoint}/${name}`),
  ]);
}

function text(code: number, body: string): Extract<Answer, { readonly kind: "text" }> {
  return { kind: "text", code, contentType: "text/plain; charset=utf-8", text: body };
}

/**
 * `/livez` and its like: `ok`, or with `verbose` a line for each check; `exclude` (repeatable) leaves a check out.
 * `check`: the rest of the path, empty for all of them.
 */
export function healthAnswer(server: Server, endpoint: HealthEndpoint, check: string, request: ApiRequest): Answer {
  const all = checks[endpoint];
  if (check !== "") {
    const asked = all.find(([name]) => name === check);
    if (asked === undefined) return pageNotFound;
    const problem = asked[1]?.(server);
    return problem === undefined ? text(200, "ok") : text(500, `internal server error: ${problem}\n`);
  }
  const excluded = new Set(request.query?.getAll("exclude").filter((name) => name !== ""));
  let failing = false;
  const lines = all.map(([name, problem]) => {
    if (excluded.delete(name)) return `[+]${name} excluded: ok\n`;
    if (problem?.(server) === undefined) return `[+]${name} ok\n`;
    failing = true;
    return `[-]${name} failed: reason withheld\n`;
  });
  if (excluded.size > 0) {
    const names = [...excluded].toSorted().map((name) => JSON.stringify(name));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(",")}\n`);
  }
  const headers = { "x-content-type-options": "nosniff" };
  if (failing) return { ...text(500, `${lines.join("")}${endpoint} check failed\n`), headers };
  const verbose = request.query?.has("verbose") === true;
  return { ...text(200, verbose ? `${lines.join("")}${endpoint} check passed\n` : "ok"), headers };
}
