import type { AccessAsker, AccessQuestion } from "./access-question.ts";
import { CelOpaque, type CelValue, fault } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

function texts(values: readonly CelValue[]): readonly string[] | undefined {
  const found = values.filter((value) => typeof value === "string");
  return found.length === values.length ? found : undefined;
}

function asker(run: (held: AccessAsker, ...words: readonly string[]) => CelOpaque): (...args: CelValue[]) => CelValue {
  return (first, ...others) => {
    const words = texts(others);
    return first instanceof CelOpaque && first.content.kind === "authorizer" && words !== undefined
      ? run(first.content.value, ...words)
      : fault("no such overload");
  };
}

/** High because a check may call an authorization webhook in kube-apiserver. */
const checkCost = 350_000;

type QuestionKind = "pathCheck" | "groupCheck" | "resourceCheck";

function question(
  run: (held: AccessQuestion, ...words: readonly string[]) => CelOpaque,
): (...args: CelValue[]) => CelValue {
  return (first, ...others) => {
    const words = texts(others);
    if (!(first instanceof CelOpaque) || words === undefined) return fault("no such overload");
    const { content } = first;
    return content.kind === "pathCheck" || content.kind === "groupCheck" || content.kind === "resourceCheck"
      ? run(content.value, ...words)
      : fault("no such overload");
  };
}

function asking(kind: QuestionKind, value: AccessQuestion): CelOpaque {
  return new CelOpaque({ kind, value });
}

/** Sets one attribute of a resource check. */
function narrowed(part: "subresource" | "namespace" | "name"): (...args: CelValue[]) => CelValue {
  return question((held, word = "") => asking("resourceCheck", { ...held, [part]: word }));
}

const check = question((held, verb = "") => new CelOpaque({ kind: "decision", value: held.asker.decide(held, verb) }));

function ofDecision(read: (decision: { readonly allowed: boolean; readonly reason: string }) => CelValue) {
  return (value: CelValue): CelValue =>
    value instanceof CelOpaque && value.content.kind === "decision"
      ? read(value.content.value)
      : fault("no such overload");
}

/** The `authorizer` functions of admission expressions. Selectors have no effect: RBAC rules ignore them. */
export const authorizerFunctions: readonly Overload[] = [
  overload(
    "authorizer.path(string): pathCheck",
    asker((held, path = "") => asking("pathCheck", { asker: held, path })),
  ),
  overload(
    "authorizer.group(string): groupCheck",
    asker((held, group = "") => asking("groupCheck", { asker: held, group })),
  ),
  overload(
    "authorizer.serviceAccount(string, string): authorizer",
    asker(
      (held, namespace = "", name = "") =>
        new CelOpaque({ kind: "authorizer", value: held.forAccount(namespace, name) }),
    ),
  ),
  overload(
    "groupCheck.resource(string): resourceCheck",
    question((held, resource = "") => asking("resourceCheck", { ...held, resource })),
  ),
  overload("resourceCheck.subresource(string): resourceCheck", narrowed("subresource")),
  overload("resourceCheck.namespace(string): resourceCheck", narrowed("namespace")),
  overload("resourceCheck.name(string): resourceCheck", narrowed("name")),
  ...["fieldSelector", "labelSelector"].map((selector) =>
    overload(
      `resourceCheck.${selector}(string): resourceCheck`,
      question((held) => asking("resourceCheck", held)),
    ),
  ),
  { ...overload("pathCheck.check(string): decision", check), cost: checkCost },
  { ...overload("resourceCheck.check(string): decision", check), cost: checkCost },
  overload(
    "decision.allowed(): bool",
    ofDecision(({ allowed }) => allowed),
  ),
  overload(
    "decision.reason(): string",
    ofDecision(({ reason }) => reason),
  ),
  overload(
    "decision.errored(): bool",
    ofDecision(() => false),
  ),
  overload(
    "decision.error(): string",
    ofDecision(() => ""),
  ),
];
