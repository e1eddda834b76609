import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageReference } from "../../image-reference.ts";
import { parsedReference } from "../testing/test-source.ts";
import { pullPlaces } from "./pull-places.ts";
import { parseRegistriesFile } from "./registries-file.ts";

const digest = `sha256:${"a".repeat(64)}`;

function written({ registry, repository, tag, digest: hash }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${hash === undefined ? "" : `@${hash}`}`;
}

function placesOf(reference: string, toml: string, isInsecure = false): readonly string[] | string {
  const rules = parseRegistriesFile(toml, "registries.conf");
  if (!rules.ok) throw new Error(rules.problem.text);
  const places = pullPlaces(parsedReference(reference), rules.value, isInsecure);
  if (!places.ok) return `${places.problem.text}; ${places.problem.remedy}`;
  return places.value.map(
    (place) => `${place.isMirror ? "mirror " : ""}${written(place.reference)}${place.isInsecure ? " insecure" : ""}`,
  );
}

const mirrors = `
[[registry]]
prefix = "registry.example/operators"
location = "internal.example/mirrored"
[[registry.mirror]]
location = "all.example/m"
[[registry.mirror]]
location = "digests.example"
pull-from-mirror = "digest-only"
insecure = true
[[registry.mirror]]
location = "tags.example:5000"
pull-from-mirror = "tag-only"
`;

const cases: readonly {
  readonly rule: string;
  readonly reference: string;
  readonly toml: string;
  readonly places: readonly string[] | string;
}[] = [
  {
    rule: "without a rule the registry of the reference is asked",
    reference: "quay.io/a/b:1",
    toml: mirrors,
    places: ["quay.io/a/b:1"],
  },
  {
    rule: "a tag is looked for in mirrors for tags and for all",
    reference: "registry.example/operators/etcd:1",
    toml: mirrors,
    places: ["mirror all.example/m/etcd:1", "mirror tags.example:5000/etcd:1", "internal.example/mirrored/etcd:1"],
  },
  {
    rule: "a digest is looked for in mirrors for digests and for all",
    reference: `registry.example/operators/etcd@${digest}`,
    toml: mirrors,
    places: [
      `mirror all.example/m/etcd@${digest}`,
      `mirror digests.example/etcd@${digest} insecure`,
      `internal.example/mirrored/etcd@${digest}`,
    ],
  },
  {
    rule: "a reference with tag and digest counts as one with a digest",
    reference: `registry.example/operators/etcd:1@${digest}`,
    toml: `[[registry]]\nlocation = "registry.example"\nmirror-by-digest-only = true\nmirror = [{ location = "m.example" }]`,
    places: [`mirror m.example/operators/etcd:1@${digest}`, `registry.example/operators/etcd:1@${digest}`],
  },
  {
    rule: "mirror-by-digest-only leaves mirrors out for a tag",
    reference: "registry.example/etcd:1",
    toml: `[[registry]]\nlocation = "registry.example"\nmirror-by-digest-only = true\nmirror = [{ location = "m.example" }]`,
    places: ["registry.example/etcd:1"],
  },
  {
    rule: "the longest prefix wins",
    reference: "registry.example/a/b/c:1",
    toml: `[[registry]]\nprefix="registry.example"\nlocation="short.example"\n[[registry]]\nprefix="registry.example/a/b"\nlocation="long.example"\n[[registry]]\nprefix="registry.example/a"\nlocation="middle.example"`,
    places: ["long.example/c:1"],
  },
  {
    rule: "a prefix ends at a separator",
    reference: "registry.example/operators-old/etcd:1",
    toml: mirrors,
    places: ["registry.example/operators-old/etcd:1"],
  },
  {
    rule: "a prefix may be a whole repository, and then a location is one too",
    reference: "registry.example/a/b:1",
    toml: `[[registry]]\nprefix="registry.example/a/b"\nlocation="other.example/x"`,
    places: ["other.example/x:1"],
  },
  {
    rule: "a host matches with every port",
    reference: "registry.example:5000/a:1",
    toml: `[[registry]]\nlocation="registry.example"\ninsecure=true`,
    places: ["registry.example:5000/a:1 insecure"],
  },
  {
    rule: "a wildcard without location keeps the reference and sets what else it says",
    reference: "a.b.example.com/x:1",
    toml: `[[registry]]\nprefix="*.example.com"\ninsecure=true`,
    places: ["a.b.example.com/x:1 insecure"],
  },
  {
    rule: "a wildcard with a location replaces the host",
    reference: "a.example.com/x/y:1",
    toml: `[[registry]]\nprefix="*.example.com"\nlocation="other.example/z"`,
    places: ["other.example/z/x/y:1"],
  },
  {
    rule: "a wildcard does not match its own domain",
    reference: "example.com/x:1",
    toml: `[[registry]]\nprefix="*.example.com"\ninsecure=true`,
    places: ["example.com/x:1"],
  },
  {
    rule: "a wildcard does not match within a path",
    reference: "other.example/a.example.com/x:1",
    toml: `[[registry]]\nprefix="*.example.com"\ninsecure=true`,
    places: ["other.example/a.example.com/x:1"],
  },
  {
    rule: "a mirror is insecure by its own rule",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nlocation="registry.example"\nmirror=[{location="m.example"}]\n[[registry]]\nlocation="m.example"\ninsecure=true`,
    places: ["mirror m.example/a:1 insecure", "registry.example/a:1"],
  },
  {
    rule: "a blocked mirror is left out",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nlocation="registry.example"\nmirror=[{location="m.example"}]\n[[registry]]\nlocation="m.example"\nblocked=true`,
    places: ["registry.example/a:1"],
  },
  {
    rule: "a blocked registry is refused, its mirrors too",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nlocation="registry.example"\nblocked=true\nmirror=[{location="m.example"}]`,
    places:
      'comes from a blocked registry (registry.example); change "blocked" in registries.conf:1, or use another registry',
  },
  {
    rule: "a blocked prefix is refused, wherever its location is",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nprefix="registry.example"\nlocation="b.example"\nblocked=true`,
    places:
      'comes from a blocked registry (registry.example); change "blocked" in registries.conf:1, or use another registry',
  },
  {
    rule: "a blocked location is refused",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nprefix="registry.example"\nlocation="b.example/x"\n[[registry]]\nlocation="b.example"\nblocked=true`,
    places: 'comes from a blocked registry (b.example); change "blocked" in registries.conf:4, or use another registry',
  },
  {
    rule: "a location that makes no valid reference is refused",
    reference: "registry.example/a:1",
    toml: `[[registry]]\nprefix="registry.example"\nlocation="UPPER.example/Not/Valid"`,
    places:
      'is rewritten by registries.conf:1 to a name that is not valid: invalid reference format: repository name must be lowercase; correct location "UPPER.example/Not/Valid"',
  },
];
for (const { rule, reference, toml, places } of cases)
  test(rule, () => assert.deepEqual(placesOf(reference, toml), places));

test("what the caller allows is for the registry, not for its mirrors", () => {
  const toml = `[[registry]]\nlocation="registry.example"\nmirror=[{location="m.example"}]`;
  assert.deepEqual(placesOf("registry.example/a:1", toml, true), [
    "mirror m.example/a:1",
    "registry.example/a:1 insecure",
  ]);
});
