import type { CustomResourceDefinitionVersion, PrinterColumn } from "@purser/kubernetes/apis/apiextensions";
import { asJson } from "@purser/kubernetes/apis/object";
import { goNumberText } from "@purser/kubernetes/go-float";
import type { JsonValue } from "@purser/kubernetes/json";
import type { TableColumn, TablePrinter } from "../kinds/built-in-kind.ts";
import { ageOf } from "@purser/kubernetes/age";
import { jsonPath } from "@purser/kubernetes/text/json-path";

const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
};

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name must be unique within a namespace.",
  priority: 0,
};

function definitionOf({
  name,
  type,
  format = "",
  description,
  jsonPath: path,
  priority = 0,
}: PrinterColumn): TableColumn {
  return {
    name,
    type: type as TableColumn["type"],
    format,
    description: description ?? `Custom resource definition column (in JSONPath format): ${path}`,
    priority: priority > 0 ? 1 : 0,
  };
}

/** Name and the columns that the definition declares; name and age when it declares none. */
export function customPrinter(version: CustomResourceDefinitionVersion): TablePrinter {
  const declared = version.additionalPrinterColumns ?? [];
  const columns = (declared.length === 0 ? [ageColumn] : declared).map((column) => ({
    definition: definitionOf(column),
    find: jsonPath(column.jsonPath),
  }));
  return {
    columns: [nameColumn, ...columns.map(({ definition }) => definition)],
    row: (object, nowMs) => ({
      cells: [
        object.metadata.name ?? "",
        ...columns.map(({ definition, find }) => cell(definition.type, find?.(asJson(object))[0] ?? null, nowMs)),
      ],
    }),
  };
}

function cell(type: TableColumn["type"], value: JsonValue, nowMs: number): JsonValue {
  if (value === null) return null;
  switch (type) {
    case "string":
      if (typeof value === "number") return goNumberText(value);
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, nowMs) : null;
  }
}

function dateCell(text: string, nowMs: number): string {
  return Number.isNaN(Date.parse(text)) ? "<invalid>" : ageOf(text, nowMs);
}
