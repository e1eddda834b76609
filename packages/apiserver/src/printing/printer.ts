import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { TableColumn, TablePrinter, TableRow } from "../kinds/built-in-kind.ts";
import { objectIn, textIn } from "../kinds/decoding/json-parts.ts";
import { ageOf } from "@purser/kubernetes/age";

/** One column and its value. */
export interface Cell {
  readonly column: TableColumn;
  readonly value: (object: JsonObject, nowMs: number) => JsonValue;
}

export function cell(
  name: string,
  value: (object: JsonObject, nowMs: number) => JsonValue,
  more: Partial<Pick<TableColumn, "type" | "priority" | "format" | "description">> = {},
): Cell {
  return {
    column: { name, type: "string", format: "", description: `${name} of the object.`, priority: 0, ...more },
    value,
  };
}

/** A column with priority 1, which only `-o wide` shows. */
export function wide(name: string, value: (object: JsonObject, nowMs: number) => JsonValue): Cell {
  return cell(name, value, { priority: 1 });
}

export const nameCell = cell("Name", (object) => textIn(objectIn(object, "metadata"), "name"), {
  format: "name",
  description: "Name must be unique within a namespace.",
});

export const ageCell = cell(
  "Age",
  (object, nowMs) => ageOf(textIn(objectIn(object, "metadata"), "creationTimestamp"), nowMs),
  {
    description: "CreationTimestamp is the server time when this object was created.",
  },
);

export const createdAtCell = cell("Created At", (object) => textIn(objectIn(object, "metadata"), "creationTimestamp"), {
  type: "date",
  description: "CreationTimestamp is the server time when this object was created.",
});

export function printer(
  cells: readonly Cell[],
  conditions?: (object: JsonObject) => readonly JsonObject[],
): TablePrinter {
  return {
    columns: cells.map(({ column }) => column),
    row: (object: KubeObject, nowMs: number): TableRow => {
      const json = asJson(object);
      const found = conditions?.(json) ?? [];
      return {
        cells: cells.map(({ value }) => value(json, nowMs)),
        ...(found.length === 0 ? {} : { conditions: found }),
      };
    },
  };
}

/** Name and creation date: the columns of kinds without their own. */
export const namePrinter: TablePrinter = printer([nameCell, createdAtCell]);
