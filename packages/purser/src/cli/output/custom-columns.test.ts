import assert from "node:assert/strict";
import { test } from "node:test";
import { customColumns } from "./custom-columns.ts";

const list = { kind: "List", items: [{ name: "etcd", hops: [1, 2], state: "Ready" }, { name: "vault" }] };

for (const [columns, document, withHeadings, expected] of [
  ["NAME:.name,STATE:.state", list, true, "NAME   STATE\netcd   Ready\nvault  <none>"],
  ["N:name", list, false, "etcd\nvault"],
  ["N:{.name},H:.hops[0,1]", list, true, "N      H\netcd   1,2\nvault  <none>"],
  ["KIND:.kind", { kind: "One" }, true, "KIND\nOne"],
] as const)
  test(`the columns ${columns} are those of a table`, () => {
    const read = customColumns(columns, withHeadings);
    assert.ok(read.ok);
    assert.equal(read.value(document), expected);
  });

for (const columns of ["NAME", "NAME:", ":.name", "NAME:.a[x]", ""])
  test(`the columns "${columns}" are refused with the form that is right`, () => {
    const read = customColumns(columns, true);
    assert.ok(!read.ok);
    assert.match(read.problem, /NAME:\.name/);
  });
