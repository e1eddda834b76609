import { isDeepStrictEqual } from "node:util";
import type { NormalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

interface Explained {
  /** Why the embedded server answers otherwise. */
  readonly why: string;
  readonly holds: (operation: Operation, real: NormalForm, ours: NormalForm) => boolean;
}

/** Every difference that stays, with its reason. */
const table: readonly Explained[] = [
  {
    why: "the real server breaks the connection over a strategic merge patch whose merge key is no scalar",
    holds: ({ contentType }, real, ours) =>
      real.code === 0 && ours.code > 0 && contentType === "application/strategic-merge-patch+json",
  },
  {
    why: "the words of YAML parsers about what they cannot read are their own",
    holds: (_operation, real, ours) =>
      real.code === 400 &&
      ours.code === 400 &&
      says(real, "error converting YAML to JSON: yaml: ") &&
      says(ours, "error converting YAML to JSON: yaml: "),
  },
  {
    why: "libyaml reads a flow mapping and leaves what follows it on its line unread",
    holds: ({ contentType, body }, real, ours) =>
      contentType === "application/apply-patch+yaml" &&
      body.endsWith("]") &&
      real.code < 500 &&
      says(ours, "error converting YAML to JSON"),
  },
  {
    why: "the real server now and then stores a custom resource again that did not change",
    holds: ({ subject }, real, ours) =>
      subject.custom === true &&
      says(real, '"resourceVersion":"changed"') &&
      isDeepStrictEqual(unmanaged(real), unmanaged(ours)) &&
      sameManagers(real, ours),
  },
  {
    why: "a custom resource's body that is null is refused in other words by PUT than by POST",
    holds: ({ subject, body }, real, ours) =>
      subject.custom === true && body === "null" && real.code === 400 && ours.code === 400,
  },
  {
    why: "a headless service without selector asks for two address families; with one the embedded server forgets that",
    holds: ({ subject }, real) =>
      subject.kind === "Service" && says(real, "this cluster is not configured for dual-stack services"),
  },
  {
    why: "the real collector learns of a new definition after up to half a minute",
    holds: ({ subject, method }, real) =>
      subject.custom === true && method === "DELETE" && (says(real, '"orphan"') || says(real, '"foregroundDeletion"')),
  },
  {
    why: "an empty map that a patch leaves is printed as null",
    holds: (_operation, real, ours) =>
      JSON.stringify(real).replaceAll("Invalid value: {}", "Invalid value: null") === JSON.stringify(ours),
  },
  {
    why: "a written list without items is owned until it is read back as no list",
    holds: ({ body }, real, ours) =>
      (body.includes('"rules":[]') || body.includes('"path":"/rules","value":[]')) &&
      isDeepStrictEqual(unmanaged(real), unmanaged(ours)),
  },
];

function sameManagers(real: NormalForm, ours: NormalForm): boolean {
  const text = (form: NormalForm): string => JSON.stringify(form).replace(/"resourceVersion":"\w+"/, "");
  return text(real).length === text(ours).length;
}

function unmanaged(form: NormalForm): unknown {
  return JSON.parse(JSON.stringify(form), (key, value: unknown) =>
    key === "managedFields" || key === "resourceVersion" ? undefined : value,
  );
}

function says(form: NormalForm, words: string): boolean {
  return JSON.stringify(form.body).includes(words);
}

/** The reason of a known difference; undefined for one that nobody explains. */
export function explanationOf(operation: Operation, real: NormalForm, ours: NormalForm): string | undefined {
  return table.find(({ holds }) => holds(operation, real, ours))?.why;
}
