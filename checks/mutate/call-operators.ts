// Mutations of calls and accesses: another method, the call left out, optional chaining without its question mark.
import { change, type Change } from "./change.ts";
import { child, children, nameOf, type Syntax } from "./syntax.ts";

const swapped: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toUpperCase: "toLowerCase",
  toLowerCase: "toUpperCase",
  trimStart: "trimEnd",
  trimEnd: "trimStart",
  find: "findLast",
  findLast: "find",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
};

/** Without the call the result has the same type. */
const removed = new Set(["filter", "slice", "sort", "toSorted", "reverse", "toReversed", "trim"]);

/** A copy of the whole list: nothing differs without it while lists are readonly. */
const isCopy = (name: string, call: Syntax): boolean => name === "slice" && children(call, "arguments").length === 0;

export function callChanges(node: Syntax, text: string): readonly Change[] {
  const callee = node.type === "CallExpression" ? child(node, "callee") : undefined;
  const [object, property] = callee === undefined ? [] : [child(callee, "object"), child(callee, "property")];
  const changes: Change[] = [];
  if (callee?.type === "MemberExpression" && object !== undefined && property !== undefined) {
    const name = nameOf(callee) ?? "";
    const other = Object.hasOwn(swapped, name) ? swapped[name] : undefined;
    if (other !== undefined) changes.push(change("method", property, other));
    if (removed.has(name) && !isCopy(name, node))
      changes.push(change("method", node, text.slice(object.start, object.end)));
  }
  if (node["optional"] === true) {
    const inner = child(node, "object") ?? child(node, "callee");
    if (inner !== undefined && (node.type === "MemberExpression" || node.type === "CallExpression"))
      changes.push({
        operator: "optional chaining",
        start: inner.end,
        end: node.end,
        after: text
          .slice(inner.end, node.end)
          .replace(/^(\s*)\?\.(\s*[[(])?/, (_all, space: string, open?: string) => open ?? `${space}.`),
      });
  }
  return changes;
}
