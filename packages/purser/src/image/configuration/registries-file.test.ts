import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed } from "@purser/kubernetes/result";
import { parseRegistriesFile } from "./registries-file.ts";

const file = "/etc/containers/registries.conf";

test("a registry with mirrors is read with all its settings", () => {
  const text = `
unqualified-search-registries = ["docker.io"]
short-name-mode = "enforcing"

[[registry]]
prefix = "example.com/foo"
location = "internal.example/bar/"
insecure = true
blocked = true

[[registry.mirror]]
location = "mirror-1.example/bar"
insecure = true
[[registry.mirror]]
location = "mirror-2.example"
pull-from-mirror = "tag-only"

[[registry]]
location = "quay.io"
mirror-by-digest-only = true
mirror = [{ location = "mirror-3.example" }]
`;
  assert.deepEqual(
    parseRegistriesFile(text, file),
    done([
      {
        prefix: "example.com/foo",
        location: "internal.example/bar",
        isInsecure: true,
        isBlocked: true,
        mirrors: [
          { location: "mirror-1.example/bar", isInsecure: true, use: "all" },
          { location: "mirror-2.example", isInsecure: false, use: "tag-only" },
        ],
        file,
        line: 5,
      },
      {
        prefix: "quay.io",
        location: "quay.io",
        isInsecure: false,
        isBlocked: false,
        mirrors: [{ location: "mirror-3.example", isInsecure: false, use: "digest-only" }],
        file,
        line: 18,
      },
    ]),
  );
});

test("of two registries with the same prefix the first counts", () => {
  const text = `[[registry]]\nprefix="a.example"\nlocation="b.example"\n[[registry]]\nprefix="a.example"\nlocation="c.example"`;
  const rules = parseRegistriesFile(text, file);
  assert.ok(rules.ok);
  assert.deepEqual(
    rules.value.map(({ location }) => location),
    ["b.example"],
  );
});

const refused: readonly {
  readonly given: string;
  readonly text: string;
  readonly line?: number;
  readonly says: string;
}[] = [
  {
    given: "text that is not TOML",
    text: "[[registry]]\nlocation = quay.io",
    line: 2,
    says: "not valid TOML: invalid value",
  },
  {
    given: "version 1",
    text: '[registries.search]\nregistries = ["docker.io"]',
    says: "version 1 of the format is not supported; write [[registry]] tables",
  },
  {
    given: "a table in place of a list",
    text: "[registry]\nlocation = 'a'",
    says: '"registry" must be written as [[registry]] tables',
  },
  {
    given: "neither location nor prefix",
    text: "\n[[registry]]\ninsecure = true",
    line: 2,
    says: "a registry needs a location or a prefix",
  },
  {
    given: "a prefix without location",
    text: '[[registry]]\nprefix = "a.example"',
    line: 1,
    says: 'registry "a.example" needs a location; only *.example.com needs none',
  },
  {
    given: "a wildcard with a path",
    text: '[[registry]]\nprefix = "*.example.com/a"',
    line: 1,
    says: 'prefix "*.example.com/a" must have the form *.example.com',
  },
  {
    given: "a URL",
    text: '[[registry]]\nlocation = "https://quay.io"',
    line: 1,
    says: '"location" must not begin with http:// or https://',
  },
  {
    given: "a location that is a number",
    text: "[[registry]]\nlocation = 5",
    line: 1,
    says: '"location" must be a string',
  },
  {
    given: "insecure as a text",
    text: '[[registry]]\nlocation = "a"\ninsecure = "true"',
    line: 1,
    says: '"insecure" must be true or false',
  },
  {
    given: "pull-from-mirror at a registry",
    text: '[[registry]]\nlocation = "a"\npull-from-mirror = "all"',
    line: 1,
    says: '"pull-from-mirror" belongs to a mirror, not to a registry',
  },
  {
    given: "another pull-from-mirror",
    text: '[[registry]]\nlocation = "a"\n[[registry.mirror]]\nlocation = "b"\npull-from-mirror = "no"',
    line: 1,
    says: '"pull-from-mirror" must be "all", "digest-only" or "tag-only"',
  },
  {
    given: "both digest settings",
    text: '[[registry]]\nlocation = "a"\nmirror-by-digest-only = true\n[[registry.mirror]]\nlocation = "b"\npull-from-mirror = "all"',
    line: 1,
    says: '"mirror-by-digest-only" and "pull-from-mirror" exclude one another',
  },
  {
    given: "a mirror without location",
    text: '[[registry]]\nlocation = "a"\n[[registry.mirror]]\ninsecure = true',
    line: 1,
    says: "a mirror needs a location",
  },
  {
    given: "one location with two values of blocked",
    text: '[[registry]]\nlocation = "a"\n[[registry]]\nprefix = "b"\nlocation = "a"\nblocked = true',
    line: 3,
    says: '"a" stands in line 1 with another value of "blocked"',
  },
  {
    given: "one location with two values of insecure",
    text: '[[registry]]\nlocation = "a"\n[[registry]]\nprefix = "b"\nlocation = "a"\ninsecure = true',
    line: 3,
    says: '"a" stands in line 1 with another value of "insecure"',
  },
];
for (const { given, text, line, says } of refused)
  test(`refuses ${given}`, () => {
    const problem = { file, ...(line !== undefined && { line }), text: says };
    assert.deepEqual(parseRegistriesFile(text, file), failed(problem));
  });
