import { counted, sizeText } from "../../explanation/summary.ts";
import type { ChangePlan, Changes } from "./change-plan.ts";
import {
  crdLines,
  fieldLines,
  imageWords,
  objectCounts,
  objectWords,
  permissionCounts,
  permissionLines,
} from "./plan-words.ts";

/** A line of a plan with what its colour means. */
export interface PlanLine {
  readonly text: string;
  readonly meaning?: "good" | "bad" | "attention" | "detail" | "strong";
}

/** Limit of shown objects without `full`; the rest is counted. */
const mostObjects = 6;

/** A change plan as text: the summary, then the fields of changed objects; `full` shows all of them, and each hop. */
export function planLines(plan: ChangePlan, full: boolean): readonly PlanLine[] {
  const { installation, from, to, digest, hops, total, dependencies, deprecations } = plan;
  const change = from === undefined ? `install ${to.version}` : `${from.version} -> ${to.version}`;
  const path = [...(from === undefined ? [] : [from.version]), ...hops.map((hop) => hop.to)];
  return [
    { text: `Changes of ${installation}: ${change}    ${digest}`, meaning: "strong" },
    ...(hops.length > 1 ? [titled("path", `${path.join(" -> ")}, ${counted(hops.length, "hop")}`)] : []),
    ...changesLines(total),
    ...dependencies.map(({ bundle, askedBy }) =>
      titled(
        "needs",
        `${bundle}${askedBy.length === 0 ? "" : `, for ${askedBy.map(({ bundle: by, requirement }) => `${by} (${requirement})`).join(" and ")}`}`,
      ),
    ),
    ...deprecations.map((text) =>
      titled("deprecated", text === "" ? "no reason given by the catalog" : text, "attention"),
    ),
    ...hops.flatMap((hop) =>
      hops.length < 2
        ? []
        : [
            { text: `hop ${hop.from === undefined ? "" : `${hop.from} -> `}${hop.to}`, meaning: "strong" } as const,
            ...changesLines(hop.changes),
            ...(full ? objectLines(hop.changes, full) : []),
          ],
    ),
    ...(full && hops.length > 1 ? [] : objectLines(total, full)),
  ];
}

function titled(title: string, text: string, meaning?: PlanLine["meaning"]): PlanLine {
  return { text: `  ${title.padEnd(11)} ${text}`, ...(meaning === undefined ? {} : { meaning }) };
}

function changesLines({ objects, permissions, crds, images, webhooks, downtime }: Changes): readonly PlanLine[] {
  const added = images.filter(({ change }) => change === "added");
  const removed = images.filter(({ change }) => change === "removed").length;
  const unpinned = added.filter(({ digest }) => digest === undefined).length;
  const bytes = added.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const imageText = [
    added.length + removed === 0 ? "unchanged" : `${added.length} new, ${removed} no longer used`,
    ...(bytes === 0 ? [] : [`${sizeText(bytes)} to pull where no layer is there yet`]),
    ...(unpinned === 0 ? [] : [`${unpinned} new not pinned by digest`]),
  ].join(", ");
  return [
    titled("objects", objectCounts(objects)),
    titled(
      "permissions",
      permissionCounts(permissions),
      permissions.some((one) => one.added.length > 0) ? "attention" : undefined,
    ),
    ...permissions.flatMap((permission): readonly PlanLine[] => {
      const lines = permissionLines(permission);
      return [
        { text: `    ${lines.title}` },
        ...lines.added.map((text) => ({ text: `      + ${text}`, meaning: "good" as const })),
        ...lines.removed.map((text) => ({ text: `      - ${text}`, meaning: "bad" as const })),
      ];
    }),
    ...crds
      .filter(({ change }) => change === "left")
      .map(({ name, stored }) =>
        titled(
          "crd",
          `${name} is left in the cluster${stored === undefined ? "" : ` with ${counted(stored, "stored object")}`}`,
        ),
      ),
    ...crdLines(crds).map((text) => titled("! crd", text, "attention")),
    titled("images", imageText),
    ...added.map((image) => ({ text: `      + ${imageWords(image)}`, meaning: "good" as const })),
    ...webhooks.map(({ type, name, change }) => titled("webhook", `${type} ${name} ${change}`)),
    ...downtime.map((text) => titled("restart", text, "attention")),
    ...objects
      .filter(({ change, kind }) => change === "left" && kind !== "CustomResourceDefinition")
      .map((object) => titled("left", `${objectWords(object)} stays behind`)),
    ...objects
      .filter(({ drift }) => drift.length > 0)
      .map((object) =>
        titled(
          "drift",
          `${objectWords(object)}: ${counted(object.drift.length, "field")} changed on the cluster`,
          "attention",
        ),
      ),
  ];
}

function objectLines({ objects }: Changes, full: boolean): readonly PlanLine[] {
  const listed = objects.filter(({ change, drift }) =>
    full ? change !== "kept" || drift.length > 0 : change === "changed",
  );
  const shownObjects = full
    ? listed
    : listed.filter(({ kind }) => kind !== "CustomResourceDefinition").slice(0, mostObjects);
  const hidden =
    objects.filter(({ change }) => change !== "kept").length -
    (full ? listed.filter(({ change }) => change !== "kept").length : shownObjects.length);
  return [
    ...shownObjects.flatMap((object): readonly PlanLine[] => [
      {
        text: `--- ${objectWords(object)}${object.change === "changed" ? "" : ` ${object.change}`}`,
        meaning: "strong",
      },
      ...object.fields.flatMap((field) => signed(fieldLines(field, object))),
      ...(full && object.drift.length > 0
        ? [
            { text: "    changed on the cluster:" },
            ...object.drift.flatMap((field) => signed(fieldLines(field, object))),
          ]
        : []),
    ]),
    ...(hidden > 0 ? [{ text: `... ${counted(hidden, "more object")}: --full`, meaning: "detail" } as const] : []),
  ];
}

function signed(lines: readonly string[]): readonly PlanLine[] {
  return lines.map((text) => {
    const meaning = text.startsWith("+ ") ? "good" : text.startsWith("- ") ? "bad" : undefined;
    return {
      text: meaning === undefined ? `    ${text}` : `      ${text}`,
      ...(meaning === undefined ? {} : { meaning }),
    };
  });
}
