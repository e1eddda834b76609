import assert from "node:assert/strict";
import { test } from "node:test";
import type { Invocation, OptionValue } from "../command.ts";
import { catalogSourceFields, sourceFields } from "./source-fields.ts";

type Options = Readonly<Record<string, OptionValue>>;
const fieldsOf = (options: Options): object => sourceFields({ options } as unknown as Invocation);
const image = (fields: object): object => ({ spec: { source: { type: "Image", image: fields } } });

const read: readonly (readonly [options: Options, fields: object])[] = [
  [{}, {}],
  [{ image: "r.io/a:1" }, image({ ref: "r.io/a:1" })],
  [{ image: "r.io/a:1", poll: "1" }, image({ ref: "r.io/a:1", pollIntervalMinutes: 1 })],
  [{ poll: "999999" }, image({ pollIntervalMinutes: 999_999 })],
  [{ poll: "none" }, image({ pollIntervalMinutes: null })],
  [{ image: "r.io/a@sha256:0", poll: "none" }, image({ ref: "r.io/a@sha256:0", pollIntervalMinutes: null })],
  [{ priority: "0" }, { spec: { priority: 0 } }],
  [{ priority: "2147483647" }, { spec: { priority: 2_147_483_647 } }],
  [{ priority: "-2147483647" }, { spec: { priority: -2_147_483_647 } }],
  [{ available: true }, { spec: { availabilityMode: "Available" } }],
  [{ unavailable: true }, { spec: { availabilityMode: "Unavailable" } }],
  [{ label: ["a=b", "c=", "d.io/e=f=g", "h-"] }, { labels: { a: "b", c: "", "d.io/e": "f=g", h: null } }],
  [
    { label: "a=b", priority: "1" },
    { spec: { priority: 1 }, labels: { a: "b" } },
  ],
];
for (const [options, fields] of read)
  test(`flags ${JSON.stringify(options)} set ${JSON.stringify(fields)}`, () =>
    assert.deepEqual(fieldsOf(options), fields));

const refused: readonly (readonly [options: Options, message: string, hint?: string])[] = [
  [{ priority: "a" }, '--priority "a" is not a number', "write a whole number, such as 10 or -100"],
  [{ priority: "1.5" }, '--priority "1.5" is not a number', "write a whole number, such as 10 or -100"],
  [{ priority: "2147483648" }, '--priority "2147483648" is not a number', "write a whole number, such as 10 or -100"],
  [{ available: true, unavailable: true }, "--available and --unavailable exclude each other"],
  [{ poll: "0" }, '--poll "0" is not a number of minutes', "write 1 or more, or none"],
  [{ poll: "5m" }, '--poll "5m" is not a number of minutes', "write 1 or more, or none"],
  [{ poll: "1000000" }, '--poll "1000000" is not a number of minutes', "write 1 or more, or none"],
  [
    { image: "r.io/a@sha256:0", poll: "5" },
    "an image with a digest does not change, so it is not polled",
    "leave out --poll",
  ],
  [{ label: "a" }, '--label "a" is not KEY=VALUE', "write KEY=VALUE to set a label, KEY- to remove it"],
  [{ label: "=b" }, '--label "=b" is not KEY=VALUE', "write KEY=VALUE to set a label, KEY- to remove it"],
  [{ label: "=-" }, '--label "=-" is not KEY=VALUE', "write KEY=VALUE to set a label, KEY- to remove it"],
];
for (const [options, message, hint] of refused)
  test(`flags ${JSON.stringify(options)} are refused: ${message}`, () =>
    assert.throws(() => fieldsOf(options), { message, hints: hint === undefined ? [] : [hint] }));

for (const flag of ["available", "unavailable"])
  test(`--${flag} is refused for a CatalogSource`, () =>
    assert.throws(
      () => catalogSourceFields({ options: { [flag]: true } } as unknown as Invocation, { sourceType: "grpc" }, "ns/s"),
      {
        message: `--${flag} is for a ClusterCatalog, and ns/s is a CatalogSource`,
        hints: ["purser source set ns/s --priority -100 prefers other catalogs; purser source remove ns/s removes it"],
      },
    ));
