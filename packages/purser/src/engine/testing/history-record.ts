import { authorityHash } from "@purser/kubernetes/certificate/service-certificate";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import { textOf } from "./history-objects.ts";
import type { ServingOperators } from "./serving-operators.ts";
import type { World } from "./world.ts";

/** What the engine wrote about each object, in order, by `csv NAMESPACE/NAME` and the like. */
export type History = Readonly<Record<string, readonly string[]>>;

const waitingForOther = "Pending/AllRequirementsMet";

const shortKinds: Readonly<Record<string, string>> = {
  ClusterServiceVersion: "csv",
  Subscription: "sub",
  InstallPlan: "plan",
  OperatorGroup: "group",
};

/** Conditions that say in general words what another one says. */
const summaries: ReadonlySet<string> = new Set(["Ready", "Reconciling", "Stalled"]);

/** Whose deletions by the engine are recorded. */
const shortPlurals: Readonly<Record<string, string>> = {
  services: "service",
  secrets: "secret",
  roles: "role",
  rolebindings: "binding",
  clusterrolebindings: "cluster binding",
};

/**
 * Records states of CSVs (`Phase/Reason`), Subscriptions (the installed CSV), InstallPlans (the phase) and
 * abnormal conditions of OperatorGroups as they are written, the events about them, and what serves (authorities, conversions,
 * deleted Services, Secrets and permissions). Repetitions count once. Left out: whether a
 * Deployment was available before the next look (`InstallWaiting`), and copies.
 */
export class HistoryRecord {
  #written = new Map<string, string[]>();
  readonly #installed = new Map<string, string>();
  readonly #authorities = new Map<string, number>();

  constructor(world: World, serving: ServingOperators) {
    world.disturb = async (request, moment) => {
      const body = request.body?.kind === "object" ? request.body.value : undefined;
      if (moment !== "after") return;
      if (request.method === "DELETE") this.#deletion(request.path);
      if (!isJsonObject(body)) return;
      if (request.path.endsWith("/status") && request.method === "PUT") this.#status(body);
      else if (request.method === "POST" && body["kind"] === "Event") this.#event(body);
      else this.#part(request, body);
      await serving.afterWrite(request);
    };
  }

  /** The history since it was taken; InstallPlans are named by their generation. */
  current(): History {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  taken(): History {
    const history = this.current();
    this.#written = new Map();
    return history;
  }

  #status(object: JsonObject): void {
    const status = at(object, "status");
    const about = nameOf(at(object, "metadata"), textOf(object["kind"]), at(object, "spec"));
    if (about === undefined) return;
    const conditions = (member(status, "conditions") ?? []) as readonly JsonObject[];
    const abnormal = conditions
      .filter((each) => each["status"] === "True" && !summaries.has(textOf(each["type"])))
      .map((each) => `${textOf(each["type"])}=${textOf(each["reason"] ?? "")}`);
    switch (textOf(object["kind"])) {
      case "ClusterServiceVersion":
        if (status["reason"] !== "Copied") this.#add(about, `${textOf(status["phase"])}/${textOf(status["reason"])}`);
        return;
      case "InstallPlan":
        this.#add(about, textOf(status["phase"]));
        return;
      case "Subscription": {
        const installed = textOf(status["installedCSV"] ?? "-");
        if (this.#installed.get(about) !== installed) this.#add(about, installed);
        this.#installed.set(about, installed);
        return;
      }
      default:
        if (abnormal.length > 0 || this.#written.has(about)) this.#add(about, abnormal.join(", ") || "no condition");
    }
  }

  /** With which authority an APIService is trusted and pods serve, numbered as they appear; how a definition is converted. */
  #part({ method, path }: ApiRequest, body: JsonObject): void {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const spec = at(body, "spec");
    const made = method === "POST" ? "created with " : "";
    if (path.includes("/apiservices") && typeof spec["caBundle"] === "string") {
      const about = method === "POST" ? textOf(at(body, "metadata")["name"]) : name;
      const hash = authorityHash(Buffer.from(spec["caBundle"], "base64"));
      this.#add(`api ${about}`, `${made}authority ${this.#number(hash)}`);
    }
    const hash = at(at(at(spec, "template"), "metadata"), "annotations")["olmcahash"];
    if (body["kind"] === "Deployment" && typeof hash === "string") {
      const { namespace, name: deployment } = at(body, "metadata");
      this.#add(`deployment ${textOf(namespace)}/${textOf(deployment)}`, `${made}authority ${this.#number(hash)}`);
    }
    const strategy = at(spec, "conversion")["strategy"];
    if (path.includes("/customresourcedefinitions/") && strategy !== undefined)
      this.#add(`crd ${name}`, `conversion ${textOf(strategy)}`);
  }

  #deletion(path: string): void {
    const [, namespace, kind, name] = /\/(?:namespaces\/([^/]+)\/)?([a-z]+)\/([^/]+)$/.exec(path) ?? [];
    const short = shortPlurals[kind ?? ""];
    // Not the permissions of a CSV, whose names have hashes.
    if (short === undefined || !/^v\d|-service/.test(name ?? "")) return;
    this.#add(`${short} ${namespace === undefined ? "" : `${namespace}/`}${decodeURIComponent(name ?? "")}`, "deleted");
  }

  #number(hash: string): number {
    const known = this.#authorities.get(hash) ?? this.#authorities.size + 1;
    this.#authorities.set(hash, known);
    return known;
  }

  #event(object: JsonObject): void {
    const involved = at(object, "involvedObject");
    const about = nameOf(involved, textOf(involved["kind"]), {});
    const component = textOf(at(object, "source")["component"]);
    // Events name an InstallPlan by its name, which is derived from what it holds.
    if (about === undefined || about.startsWith("plan ")) return;
    const emitter = component === "operator-lifecycle-manager" ? "" : ` by ${component}`;
    this.#add(`${about} events`, `${textOf(object["type"])} ${textOf(object["reason"])}${emitter}`);
  }

  #add(about: string, text: string): void {
    if (text.includes("/InstallWaiting") || text.endsWith(" InstallWaiting")) return;
    const lines = this.#written.get(about) ?? [];
    this.#written.set(about, lines);
    // Whether a CSV is looked at before the one that it waits for steps aside depends on which pass is first.
    if (lines.at(-1) === waitingForOther && text.startsWith("InstallReady/")) lines.pop();
    if (lines.at(-1) !== text) lines.push(text);
  }
}

const at = (object: JsonObject, field: string): JsonObject => (member(object, field) ?? {}) as JsonObject;

function nameOf(metadata: JsonObject, kind: string, spec: JsonObject): string | undefined {
  const short = shortKinds[kind];
  if (short === undefined) return undefined;
  const name = kind === "InstallPlan" && spec["generation"] !== undefined ? spec["generation"] : metadata["name"];
  return `${short} ${textOf(metadata["namespace"])}/${textOf(name)}`;
}
