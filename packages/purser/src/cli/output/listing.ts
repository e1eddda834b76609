import type { JsonObject } from "@purser/kubernetes/json";
import type { Invocation, OptionSpec, ReportedOutcome } from "../command.ts";
import { textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { matchesSelector, parseLabelSelector } from "@purser/kubernetes/apis/selector";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { shown, withoutColours } from "./shown.ts";
import { type Column, fitTable } from "./table.ts";

/** A column of a list: its cell in the table, and the order of `--sort-by` where the text does not give it. */
export interface ListColumn<Item> extends Column {
  readonly cell: (item: Item) => string | undefined;
  readonly compare?: (left: Item, right: Item) => number;
}

/** A list of things that a command found. */
export interface Listing<Item> {
  /** Of the document, such as `InstallationList`. */
  readonly kind: string;
  readonly items: readonly Item[];
  readonly columns: readonly ListColumn<Item>[];
  readonly nameOf: (item: Item) => string;
  /** For `--selector`; absent: the items have no labels. */
  readonly labelsOf?: (item: Item) => Readonly<Record<string, string>>;
  /** The item in the document. */
  readonly document: (item: Item) => JsonObject;
  /** Fields of the document beside its items. */
  readonly about?: JsonObject;
  /** Lines below the table. */
  readonly footer: readonly string[];
}

/** Flags of every command that prints a list; `--no-headers` is a global flag. */
export const listingOptions: readonly OptionSpec[] = [
  { flags: "--limit N", summary: "print only the first N" },
  { flags: "--sort-by COLUMN", summary: "sort by a column of the table" },
  {
    flags: "--fields FIELDS",
    summary: "only these columns or fields of the document, separated by commas; help lists them",
  },
];

/**
 * Prints a list as the flags say: a table that fits the terminal, all of it with `-o wide`, names, or a document.
 * @throws UsageError for a column or field that the list does not have
 */
export function printListing<Item>(invocation: Invocation, listing: Listing<Item>): ReportedOutcome {
  const { columns, labelsOf } = listing;
  const ofLabels = labelsOf === undefined ? listing.items : selected(invocation, listing.items, labelsOf);
  const items = limited(invocation, sorted(invocation, { ...listing, items: ofLabels }).items);
  const { terminal } = invocation;
  const output = textOption(invocation, "output");
  const documents = items.map((item) => listing.document(item));
  const fields = fieldsOf(invocation);
  if (fields?.[0] === "help") return { exitCode: exitCodes.done, human: shown(...fieldLines(listing, documents)) };
  if (output === "name")
    return { exitCode: exitCodes.done, human: shown(...items.map((item) => listing.nameOf(item))) };
  const isJsonObject = output === "json" || output === "yaml";
  const chosen = fields === undefined || isJsonObject ? columns : fields.map((field) => columnNamed(columns, field));
  const table = fitTable(
    chosen,
    items.map((item) => chosen.map((column) => column.cell(item))),
    invocation.options["headers"] !== false,
    output === "wide" ? Infinity : (terminal.width ?? Infinity),
  );
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: listing.kind,
    ...listing.about,
    items: fields === undefined || !isJsonObject ? documents : documents.map((one) => only(one, fields, documents)),
  };
  return { exitCode: exitCodes.done, data, human: shown(...table.split("\n"), ...listing.footer) };
}

/** The flag of lists of objects with labels. */
export const selectorOption: OptionSpec = {
  flags: "-l, --selector SELECTOR",
  summary: "label selector, in kubectl's syntax",
};

/** The items that `--selector` selects. @throws UsageError for a selector that cannot be read */
export function selected<Item>(
  invocation: Invocation,
  items: readonly Item[],
  labelsOf: (item: Item) => Readonly<Record<string, string>> | undefined,
): readonly Item[] {
  const text = textOption(invocation, "selector");
  if (text === undefined) return items;
  const selector = parseLabelSelector(text);
  if (!selector.ok) throw new UsageError(`--selector: ${selector.problem.message}`, "write it as app=etcd,tier!=test");
  return items.filter((item) => matchesSelector(selector.value, labelsOf(item) ?? {}));
}

function limited<Item>(invocation: Invocation, items: readonly Item[]): readonly Item[] {
  const text = textOption(invocation, "limit");
  if (text === undefined) return items;
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`--limit "${text}" is not a positive number`);
  return items.slice(0, Number(text));
}

/** Colour codes stay out of what is compared. */
function sorted<Item>(invocation: Invocation, listing: Listing<Item>): Listing<Item> {
  const wanted = textOption(invocation, "sort-by");
  if (wanted === undefined) return listing;
  const column = columnNamed(listing.columns, wanted);
  const text = (item: Item): string => withoutColours(column.cell(item) ?? "");
  const compare =
    column.compare ??
    ((left: Item, right: Item): number => (text(left) === text(right) ? 0 : text(left) < text(right) ? -1 : 1));
  return { ...listing, items: listing.items.toSorted(compare) };
}

function columnNamed<Item>(columns: readonly ListColumn<Item>[], name: string): ListColumn<Item> {
  const found = columns.find(({ heading }) => heading.toLowerCase() === name.toLowerCase());
  if (found === undefined) {
    const headings = columns.map(({ heading }) => heading.toLowerCase());
    const [near] = nearestNames(name, headings);
    throw new UsageError(
      `there is no column "${name}"`,
      near === undefined
        ? `columns: ${headings.join(", ")}`
        : `did you mean "${near}"? columns: ${headings.join(", ")}`,
    );
  }
  return found;
}

function fieldsOf(invocation: Invocation): readonly string[] | undefined {
  const text = textOption(invocation, "fields");
  if (text === undefined) return undefined;
  const fields = text.split(",").map((field) => field.trim());
  if (fields.includes(""))
    throw new UsageError(`--fields "${text}" names an empty field`, "write --fields name,version");
  return fields;
}

function fieldLines<Item>({ columns }: Listing<Item>, documents: readonly JsonObject[]): readonly string[] {
  const names = new Set(documents.flatMap((one) => Object.keys(one)));
  return [
    `table      ${columns.map(({ heading }) => heading.toLowerCase()).join(", ")}`,
    `json|yaml  ${names.size === 0 ? "the list is empty" : [...names].toSorted().join(", ")}`,
  ];
}

/** The document with the named fields alone; one that this item lacks and another has is left out. */
function only(document: JsonObject, fields: readonly string[], all: readonly JsonObject[]): JsonObject {
  const known = new Set(all.flatMap((one) => Object.keys(one)));
  const unknown = fields.find((field) => !known.has(field));
  if (unknown !== undefined)
    throw new UsageError(`there is no field "${unknown}"`, `fields: ${[...known].toSorted().join(", ")}`);
  return Object.fromEntries(Object.entries(document).filter(([field]) => fields.includes(field)));
}
