import type { UserInfo } from "@purser/kubernetes/kube/transport";
import { groupOfFamily } from "../../apis/api-family.ts";
import { explanationLines } from "../../explanation/tree.ts";
import type { Installation } from "../../installation/installation.ts";
import { apiConflicts, type ServingOperator, tenancyOf } from "../../installation/tenancy.ts";
import type { AccessReviews, AskedAccess } from "../callers/access-reviews.ts";
import type { ExplainedDecision, ExplainPort } from "./explain-port.ts";

export interface ExplainRequest {
  /** Path with query. */
  readonly target: string;
  readonly accept: string;
  readonly user: UserInfo;
}

export interface ExplainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Options {
  readonly port: ExplainPort;
  readonly reviews: Pick<AccessReviews, "allows">;
}

/** What an answer holds, for people and as a document. */
interface Content {
  readonly lines: readonly string[];
  readonly data: object;
}

/** Whether a path belongs to these pages. */
export const isExplainPath = (target: string): boolean => /^\/(explain|tenancy)(\/|\?|$)/.test(target);

const usage =
  "the paths are /explain[?namespace=NAMESPACE], /explain/sub/NAMESPACE/NAME, /explain/csv/NAMESPACE/NAME, /explain/ext/NAME and /tenancy/NAMESPACE\n";

/**
 * Answers `/explain` (every installation), `/explain/REFERENCE` (why it is where it is) and `/tenancy/NAMESPACE` (which operators
 * serve it), each with no more than the user may read of the cluster. Text, or JSON for `?output=json` and clients that accept it.
 * @throws when the API server does not answer what the user may read
 */
export async function answerExplain(
  request: ExplainRequest,
  options: Options,
  signal: AbortSignal,
): Promise<ExplainAnswer> {
  const { pathname, searchParams } = new URL(request.target, "http://door");
  const rights = new Rights(request.user, options.reviews, signal);
  let parts: readonly string[];
  try {
    parts = pathname.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return plain(400, "the path is not encoded correctly\n");
  }
  const [page, ...rest] = parts;
  const wantsJson = searchParams.get("output") === "json" || /\bapplication\/json\b/.test(request.accept);
  const written = ({ lines, data }: Content): ExplainAnswer =>
    wantsJson
      ? { ...plain(200, `${JSON.stringify(data, undefined, 2)}\n`), headers: headersOf("application/json") }
      : plain(200, lines.map((line) => `${line}\n`).join(""));
  if (page === "tenancy" && rest.length === 1 && rest[0] !== "")
    return tenancy(rest[0] ?? "", rights, options, written);
  if (page !== "explain") return plain(404, usage);
  if (rest.length === 0 || (rest.length === 1 && rest[0] === ""))
    return written(await index(searchParams.get("namespace") ?? undefined, rights, options));
  const asked = readingOf(rest);
  if (asked === undefined) return plain(404, usage);
  if (!(await rights.may(asked))) return refusal(request.user, asked);
  const reference = rest.join("/");
  const installation = (await options.port.installations()).find((one) => one.reference === reference);
  if (installation === undefined) return plain(404, `there is no installation ${reference}\n`);
  return written(explained(installation, await options.port.explain(installation)));
}

const v0 = { kind: "resource", group: groupOfFamily.v0, version: "v1alpha1" } as const;
const extensions = { kind: "resource", group: groupOfFamily.v1, version: "v1", resource: "clusterextensions" } as const;
type Asked = Extract<AskedAccess, { readonly kind: "resource" }>;

/** What of the cluster somebody has to be allowed to get for an installation; undefined for what is no reference. */
function readingOf(parts: readonly string[]): Asked | undefined {
  const [kind, first = "", second = "", ...more] = parts;
  if (first === "" || more.length > 0) return undefined;
  if (kind === "ext") return second === "" ? { ...extensions, verb: "get", name: first } : undefined;
  if (second === "" || (kind !== "sub" && kind !== "csv")) return undefined;
  return { ...v0, resource: pluralOf(kind), verb: "get", namespace: first, name: second };
}

const pluralOf = (kind: "sub" | "csv"): string => (kind === "sub" ? "subscriptions" : "clusterserviceversions");

/** Who asks for what; a right on all namespaces is asked for first, so that most users need one review. */
class Rights {
  readonly #user: UserInfo;
  readonly #reviews: Pick<AccessReviews, "allows">;
  readonly #signal: AbortSignal;

  constructor(user: UserInfo, reviews: Pick<AccessReviews, "allows">, signal: AbortSignal) {
    this.#user = user;
    this.#reviews = reviews;
    this.#signal = signal;
  }

  may(asked: AskedAccess): Promise<boolean> {
    return this.#reviews.allows(this.#user, asked, this.#signal);
  }

  /** Whether the user may list these objects there. */
  async mayList(asked: Omit<Asked, "verb">, namespace?: string): Promise<boolean> {
    if (await this.may({ ...asked, verb: "list" })) return true;
    return namespace !== undefined && (await this.may({ ...asked, verb: "list", namespace }));
  }

  async mayListInstallation({ api, reference, namespace }: Installation): Promise<boolean> {
    if (api === "v1") return this.mayList(extensions);
    return this.mayList({ ...v0, resource: pluralOf(reference.startsWith("sub/") ? "sub" : "csv") }, namespace);
  }
}

async function index(namespace: string | undefined, rights: Rights, { port }: Options): Promise<Content> {
  const seen: Installation[] = [];
  for (const one of await port.installations())
    if ((namespace === undefined || one.namespace === namespace) && (await rights.mayListInstallation(one)))
      seen.push(one);
  const width = Math.max(0, ...seen.map(({ reference }) => reference.length));
  return {
    lines: seen.length === 0 ? ["no installations that you may list"] : seen.map((one) => indexLine(one, width)),
    data: {
      apiVersion: "purser.dev/v1alpha1",
      kind: "InstallationList",
      items: seen.map((one) => ({ ...one, explain: `/explain/${one.reference}` })),
    },
  };
}

const indexLine = ({ reference, state, why }: Installation, width: number): string =>
  `${reference.padEnd(width)}  ${state}${why === "" ? "" : `  ${why}`}`;

function explained(installation: Installation, decision: ExplainedDecision): Content {
  const { reference, state, why, stuck } = installation;
  const reason = decision.explanation ?? decision.held;
  return {
    lines: [
      `${reference}: ${state}${why === "" ? "" : `: ${why}`}`,
      ...(stuck === undefined
        ? []
        : [`stuck since ${stuck.stuckSince} by: ${stuck.blockedBy}`, `next attempt: ${stuck.nextRetry}`]),
      ...(reason === undefined
        ? ["the choice itself is not refused:", ...decision.chosen.map((line) => `  ${line}`)]
        : explanationLines(reason)),
    ],
    data: { apiVersion: "purser.dev/v1alpha1", kind: "InstallationExplanation", installation, ...decision },
  };
}

async function tenancy(
  namespace: string,
  rights: Rights,
  { port }: Options,
  written: (content: Content) => ExplainAnswer,
): Promise<ExplainAnswer> {
  const csvs = { ...v0, resource: "clusterserviceversions" };
  const groups = { ...v0, version: "v1", resource: "operatorgroups" };
  // Copies of ClusterServiceVersions, where there are some, show the operators that serve a namespace to the same users.
  const [mayListHere, mayListExtensions] = [await rights.mayList(csvs, namespace), await rights.mayList(extensions)];
  if (!mayListHere && !mayListExtensions)
    return plain(
      403,
      `you may list neither clusterserviceversions.${v0.group} in namespace "${namespace}" nor clusterextensions.${extensions.group}\n`,
    );
  const world = await port.tenancy();
  const found = tenancyOf(namespace, {
    csvs: mayListHere ? world.csvs : [],
    groups: world.groups,
    extensions: mayListExtensions ? world.extensions : [],
  });
  const operators: ServingOperator[] = [];
  for (const { account, ...operator } of found.operators) {
    const home = operator.reference.split("/")[1] ?? "";
    const seesAccount = account !== undefined && (await rights.mayList(groups, home));
    operators.push(seesAccount ? { ...operator, account } : operator);
  }
  const conflicts = (await rights.mayList(groups, namespace)) ? found.conflicts : apiConflicts(operators);
  return written({
    lines: [
      ...(operators.length === 0 ? ["no operators that you may see"] : operators.map(operatorLine)),
      ...conflicts.map(({ text }) => `conflict: ${text}`),
    ],
    data: { apiVersion: "purser.dev/v1alpha1", kind: "Tenancy", namespace, operators, conflicts },
  });
}

const operatorLine = ({ reference, version, through, account, apis }: ServingOperator): string =>
  [
    reference,
    ...(version === undefined ? [] : [version]),
    `through ${through}`,
    ...(account === undefined ? [] : [`as ServiceAccount ${account}`]),
    ...(apis.length === 0 ? [] : [`provides ${apis.join(", ")}`]),
  ].join("  ");

function refusal({ name }: UserInfo, { verb, resource, group, namespace, name: object }: Asked): ExplainAnswer {
  const where = namespace === undefined ? "" : ` in namespace "${namespace}"`;
  return plain(403, `${name} may not ${verb} ${resource}.${group} "${object}"${where}\n`);
}

const headersOf = (type: string): ExplainAnswer["headers"] => ({
  "content-type": type,
  "x-content-type-options": "nosniff",
});

const plain = (status: number, body: string): ExplainAnswer => ({
  status,
  headers: headersOf("text/plain; charset=utf-8"),
  body,
});
