import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readElf, strippedElf } from "./elf.ts";
import { neededLibraries } from "./libraries.ts";
import type { RootFile } from "./root-files.ts";
import { madeElf } from "./testing/made-elf.ts";

const interpreter = "/lib64/ld-linux-x86-64.so.2";

test("an ELF file tells its processor, its dynamic linker and its libraries, with and without what lies behind its segments", () => {
  const facts = { architecture: "amd64", interpreter, needed: ["libm.so.6", "libc.so.6"] };
  const whole = madeElf({ interpreter, needed: facts.needed, behind: "symbols and sections" });
  assert.deepEqual(readElf(whole), { ok: true, value: facts });
  const stripped = strippedElf(whole);
  assert.equal(whole.length - stripped.length, "symbols and sections".length);
  assert.deepEqual(readElf(stripped), { ok: true, value: facts });
  const view = new DataView(stripped.buffer);
  assert.deepEqual([view.getBigUint64(40, true), view.getUint16(60, true), view.getUint16(62, true)], [0n, 0, 0]);
  assert.deepEqual(strippedElf(stripped), stripped);
  assert.deepEqual(readElf(madeElf({ machine: 183 })), { ok: true, value: { architecture: "arm64", needed: [] } });
});

test("a file for another processor, a cut one and a text are refused by name", () => {
  const problem = (bytes: Uint8Array): string => {
    const read = readElf(bytes);
    return read.ok ? "" : read.problem;
  };
  assert.equal(problem(madeElf({ machine: 40 })), "it is for the ELF machine 40, which is neither amd64 nor arm64");
  assert.equal(problem(madeElf({ needed: ["libc.so.6"] }).slice(0, -4)), "it is truncated");
  assert.equal(problem(new TextEncoder().encode(`#!/bin/sh\n${" ".repeat(80)}`)), "it is no ELF file");
  assert.equal(problem(madeElf({}).with(4, 1)), "it is no 64-bit little-endian ELF file");
});

test("Node itself needs a linker and the C library", { skip: process.platform !== "linux" }, () => {
  const elf = readElf(readFileSync(process.execPath));
  assert.ok(elf.ok, elf.ok ? "" : elf.problem);
  assert.match(elf.value.interpreter ?? "", /^\/lib/);
  assert.ok(elf.value.needed.includes("libc.so.6"));
});

const file = (path: string, bytes = madeElf({})): RootFile => ({ path, kind: "file", bytes });
const program = { name: "node", bytes: madeElf({ interpreter, needed: ["liba.so.1"] }) };
const linker: readonly RootFile[] = [
  { path: "usr/lib64/ld-linux-x86-64.so.2", kind: "link", target: "../lib/x/ld-linux-x86-64.so.2" },
  file("usr/lib/x/ld-linux-x86-64.so.2"),
];

test("libraries are found through links and through one another, and no other file is kept", () => {
  const files: readonly RootFile[] = [
    ...linker,
    { path: "usr/lib/x/liba.so.1", kind: "link", target: "liba.so.1.7" },
    file("usr/lib/x/liba.so.1.7", madeElf({ needed: ["libb.so.2"] })),
    file("usr/lib/x/libb.so.2", madeElf({ needed: ["liba.so.1"] })),
    file("usr/lib/x/libunused.so.3"),
  ];
  const kept = neededLibraries(program, files, "amd64");
  assert.deepEqual(kept.ok && [...kept.value].toSorted(), [
    "ld-linux-x86-64.so.2",
    "liba.so.1",
    "liba.so.1.7",
    "libb.so.2",
  ]);
});

for (const [name, files, problem] of [
  ["is missing", linker, "node needs liba.so.1, which no package has"],
  [
    "is a link to itself",
    [...linker, { path: "usr/lib/x/liba.so.1", kind: "link", target: "liba.so.1" }],
    "node needs liba.so.1, which no package has",
  ],
  [
    "is for arm64",
    [...linker, file("usr/lib/x/liba.so.1", madeElf({ machine: 183 }))],
    "liba.so.1 is for arm64, not amd64",
  ],
  [
    "is a text",
    [...linker, file("usr/lib/x/liba.so.1", new Uint8Array(99))],
    "liba.so.1 cannot be used: it is no ELF file",
  ],
] satisfies [string, readonly RootFile[], string][])
  test(`a library that ${name} is refused`, () => {
    assert.deepEqual(neededLibraries(program, files, "amd64"), { ok: false, problem });
  });
