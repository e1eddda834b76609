import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  formatRule,
  type PolicyRule,
  ruleAllows,
  RuleLookup,
  type RuleRequest,
  rulesCover,
  uncoveredRules,
} from "./rbac.ts";

const numbered = (count: number, text: string): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${text}${number}`);

/** A rule whose lists count how often they are read. */
function counted(rule: PolicyRule): { readonly rule: PolicyRule; readonly reads: () => number } {
  let reads = 0;
  const watched = (list: readonly string[] = []): readonly string[] =>
    new Proxy(list, {
      get(target, key, receiver): unknown {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, receiver);
      },
    });
  const { verbs, apiGroups, resources } = rule;
  return {
    rule: { verbs: watched(verbs), apiGroups: watched(apiGroups), resources: watched(resources) },
    reads: () => reads,
  };
}

test("a rule with billions of permissions is compared without expanding it", () => {
  const wide = { apiGroups: numbered(3000, "g"), resources: numbered(3000, "r"), verbs: numbered(3000, "v") };
  const held: readonly PolicyRule[] = [
    { apiGroups: ["*"], resources: numbered(1500, "r"), verbs: ["*"] },
    { apiGroups: numbered(3000, "g"), resources: numbered(3000, "r").slice(1500), verbs: ["*"] },
  ];
  const wanted = counted(wide);
  assert.ok(rulesCover(held, [wanted.rule]));
  assert.ok(wanted.reads() <= 5 * 9000, `${wanted.reads()} reads`);
  const lacking = uncoveredRules(held.slice(0, 1), [wide]);
  assert.ok(lacking.length > 0 && lacking.length <= 10_000, `${lacking.length} rules`);
  assert.deepEqual(lacking[0]?.resources, ["r1500"]);
});

test("thousands of rules are compared with thousands of others by index", () => {
  const rules = numbered(5000, "g").map((group) => counted({ apiGroups: [group], resources: ["*"], verbs: ["get"] }));
  const wanted = numbered(5000, "g").map((group) => ({ apiGroups: [group], resources: ["pods"], verbs: ["get"] }));
  const held = rules.map(({ rule }) => rule);
  assert.deepEqual(uncoveredRules(held, wanted), []);
  const reads = rules.reduce((sum, one) => sum + one.reads(), 0);
  assert.ok(reads <= 20 * 5000, `${reads} reads`);
});

test("the holders of one verb are looked up once, however many rules ask for it", () => {
  const held = numbered(300, "h").map((group) => ({ apiGroups: [group], resources: ["*"], verbs: ["get"] }));
  const wanted = numbered(3000, "g").map((group) => ({ apiGroups: [group], resources: ["pods"], verbs: ["get"] }));
  let joined = 0;
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { join } = Array.prototype;
  Array.prototype.join = function (this: unknown[], separator?: string) {
    joined += this.length;
    return join.call(this, separator);
  };
  try {
    assert.equal(uncoveredRules(held, wanted).length, 3000);
  } finally {
    Array.prototype.join = join;
  }
  assert.ok(joined <= 100_000, `${joined} indexes were joined`);
});

test("uncovered rules are the expanded permissions that no held rule grants", () => {
  const some = (...texts: readonly string[]) => fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 3 });
  const rule = fc.record({
    verbs: some("get", "list", "*"),
    apiGroups: some("", "apps", "*"),
    resources: some("pods", "pods/log", "*/log", "*"),
    resourceNames: some("a", "b"),
    nonResourceURLs: some("/a", "/ab", "/a*", "*"),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), fc.array(rule, { maxLength: 3 }), (held, wanted) => {
      const found = uncoveredRules(held, wanted).map(formatRule);
      assert.deepEqual(found, [...naive(held, wanted)].toSorted());
      assert.equal(rulesCover(held, wanted), found.length === 0);
    }),
  );
});

/** Reference implementation: compares every single permission with every held rule. */
function naive(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): ReadonlySet<string> {
  const verbs = new Map<
    string,
    { readonly of: (verbs: readonly string[]) => PolicyRule; readonly verbs: Set<string> }
  >();
  const has = (list: readonly string[] | undefined, text: string): boolean =>
    list?.some((one) => one === "*" || one === text) === true;
  const missing = (key: string, verb: string, of: (held: readonly string[]) => PolicyRule): void => {
    const known = verbs.get(key) ?? { of, verbs: new Set() };
    verbs.set(key, known);
    known.verbs.add(verb);
  };
  for (const { verbs: all = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of wanted)
    for (const verb of all) {
      for (const group of apiGroups)
        for (const resource of resources)
          for (const name of resourceNames.length === 0 ? [undefined] : resourceNames) {
            const isHeld = held.some(
              (rule) =>
                has(rule.verbs, verb) &&
                has(rule.apiGroups, group) &&
                (has(rule.resources, resource) ||
                  (resource.endsWith("/log") && rule.resources?.includes("*/log") === true)) &&
                ((rule.resourceNames ?? []).length === 0 ||
                  (name !== undefined && rule.resourceNames?.includes(name) === true)),
            );
            if (!isHeld)
              missing(JSON.stringify([group, resource, name ?? null]), verb, (uncovered) => ({
                apiGroups: [group],
                resources: [resource],
                verbs: uncovered,
                ...(name === undefined ? {} : { resourceNames: [name] }),
              }));
          }
      for (const path of nonResourceURLs) {
        const isHeld = held.some(
          (rule) =>
            has(rule.verbs, verb) &&
            rule.nonResourceURLs?.some(
              (url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))),
            ) === true,
        );
        if (!isHeld)
          missing(JSON.stringify([path, verb]), verb, (uncovered) => ({ nonResourceURLs: [path], verbs: uncovered }));
      }
    }
  return new Set([...verbs.values()].map(({ of, verbs: uncovered }) => formatRule(of([...uncovered]))));
}

const word = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const words = (...texts: readonly string[]): fc.Arbitrary<string[]> => fc.array(word(...texts), { maxLength: 3 });
const anyRules: fc.Arbitrary<PolicyRule[]> = fc.array(
  fc.record(
    {
      verbs: words("get", "list", "*"),
      apiGroups: words("", "apps", "*"),
      resources: words("pods", "pods/log", "*/log", "*"),
      resourceNames: words("a", "b", ""),
      nonResourceURLs: words("/a", "/a*", "*"),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 6 },
);
const anyRequest: fc.Arbitrary<RuleRequest> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("resource" as const),
      verb: word("get", "list", "*"),
      group: word("", "apps", "*"),
      resource: word("pods", "pods/log", "*"),
      subresource: word("", "log"),
      name: word("", "a", "b"),
    },
    { requiredKeys: ["kind", "verb", "group", "resource"] },
  ),
  fc.record({ kind: fc.constant("path" as const), verb: word("get", "list", "*"), path: word("/a", "/ab", "/b") }),
);

test("a lookup allows what one of the rules allows", () => {
  fc.assert(
    fc.property(anyRules, anyRequest, (rules, request) =>
      assert.equal(
        new RuleLookup(rules).allow(request),
        rules.some((rule) => ruleAllows(rule, request)),
      ),
    ),
    { seed: 7, numRuns: 2000 },
  );
});

test("thousands of requests are looked up in thousands of rules with a few comparisons each, whatever they share", () => {
  const count = 12_000;
  for (const shared of ["verbs", "apiGroups", "resources", "resourceNames"] as const) {
    const own = (number: number): PolicyRule => ({
      verbs: ["get"],
      apiGroups: ["g"],
      resources: ["r"],
      resourceNames: ["n"],
      [shared]: [`x${number}`],
    });
    const looks = { left: 4 * count };
    const lookup = new RuleLookup(
      Array.from({ length: count }, (_, number) => own(number)),
      looks,
    );
    for (let number = 0; number < count; number++) {
      const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = own(number);
      const [verb = "", group = "", resource = "", name = ""] = [
        verbs[0],
        apiGroups[0],
        resources[0],
        resourceNames[0],
      ];
      assert.ok(lookup.allow({ kind: "resource", verb, group, resource, name }), `${shared} ${number}`);
    }
    assert.ok(looks.left > 0, `${shared}: ${looks.left} comparisons left`);
  }
  const looks = { left: 1 };
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
  const request = { kind: "resource", verb: "get", group: "", resource: "pods" } as const;
  assert.equal(new RuleLookup(rules, looks).allow(request), false, "no comparison is left");
});
