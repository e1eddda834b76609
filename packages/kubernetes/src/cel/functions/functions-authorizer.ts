import type { AccessAsker, AccessQuestion } from "./access-question.ts";
import { CelOpaque } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

/** High because a check may call an authorization webhook in kube-apiserver. */
const checkCost = 350_000;

type QuestionKind = "pathCheck" | "groupCheck" | "resourceCheck";

/** Overload resolution ensures the kinds of values in all of these. */
const askerOf = ({ content }: CelOpaque): AccessAsker => content.value as AccessAsker;
const questionOf = ({ content }: CelOpaque): AccessQuestion => content.value as AccessQuestion;

function asking(kind: QuestionKind, value: AccessQuestion): CelOpaque {
  return new CelOpaque({ kind, value });
}

/** Sets one attribute of a resource check. */
function narrowed(
  part: "resource" | "subresource" | "namespace" | "name",
): (held: CelOpaque, word: string) => CelOpaque {
  return (held, word) => asking("resourceCheck", { ...questionOf(held), [part]: word });
}

function check(held: CelOpaque, verb: string): CelOpaque {
  const question = questionOf(held);
  return new CelOpaque({ kind: "decision", value: question.asker.decide(question, verb) });
}

interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

const decisionOf = ({ content }: CelOpaque): Decision => content.value as Decision;

/** The `authorizer` functions of admission expressions. Selectors have no effect: RBAC rules ignore them. */
export const authorizerFunctions: readonly Overload[] = [
  overload("authorizer.path(string): pathCheck", (held: CelOpaque, path: string) =>
    asking("pathCheck", { asker: askerOf(held), path }),
  ),
  overload("authorizer.group(string): groupCheck", (held: CelOpaque, group: string) =>
    asking("groupCheck", { asker: askerOf(held), group }),
  ),
  overload(
    "authorizer.serviceAccount(string, string): authorizer",
    (held: CelOpaque, namespace: string, name: string) =>
      new CelOpaque({ kind: "authorizer", value: askerOf(held).forAccount(namespace, name) }),
  ),
  overload("groupCheck.resource(string): resourceCheck", narrowed("resource")),
  overload("resourceCheck.subresource(string): resourceCheck", narrowed("subresource")),
  overload("resourceCheck.namespace(string): resourceCheck", narrowed("namespace")),
  overload("resourceCheck.name(string): resourceCheck", narrowed("name")),
  ...["fieldSelector", "labelSelector"].map((selector) =>
    overload(`resourceCheck.${selector}(string): resourceCheck`, (held: CelOpaque) => held),
  ),
  { ...overload("pathCheck.check(string): decision", check), cost: checkCost },
  { ...overload("resourceCheck.check(string): decision", check), cost: checkCost },
  overload("decision.allowed(): bool", (decision: CelOpaque) => decisionOf(decision).allowed),
  overload("decision.reason(): string", (decision: CelOpaque) => decisionOf(decision).reason),
  overload("decision.errored(): bool", () => false),
  overload("decision.error(): string", () => ""),
];
