import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { allSteps } from "@purser/kubernetes/steps";
import { mirrorOf } from "./mirrored-slices.ts";
import { repacked } from "./repack.ts";

const to = (...ips: readonly string[]): readonly JsonObject[] => ips.map((ip) => ({ ip }));
const port = (name: string, number: number): JsonObject => ({ name, port: number, protocol: "TCP" });

for (const [what, given, expected] of [
  ["no subsets remain no subsets", [], []],
  [
    "subsets with the same addresses share their ports",
    [
      { addresses: to("1"), ports: [port("b", 2)] },
      { addresses: to("1"), ports: [port("a", 1)] },
    ],
    [{ addresses: to("1"), ports: [port("a", 1), port("b", 2)] }],
  ],
  [
    "a port that more addresses offer has a subset of its own",
    [
      { addresses: to("1"), ports: [port("a", 1), port("b", 2)] },
      { addresses: to("2"), ports: [port("a", 1)] },
    ],
    [
      { addresses: to("1", "2"), ports: [port("a", 1)] },
      { addresses: to("1"), ports: [port("b", 2)] },
    ],
  ],
  [
    "an address that is unready in one subset is unready",
    [
      { addresses: to("1", "2"), ports: [port("a", 1)] },
      { notReadyAddresses: to("1"), ports: [port("a", 1)] },
    ],
    [{ addresses: to("2"), notReadyAddresses: to("1"), ports: [port("a", 1)] }],
  ],
  ["addresses without ports are kept", [{ addresses: to("2", "1") }], [{ addresses: to("1", "2") }]],
] as const satisfies readonly (readonly [string, readonly JsonObject[], readonly JsonObject[]])[])
  test(what, () => assert.deepEqual(allSteps(repacked(given)), expected));

test("custom Endpoints become one slice for each family and list of ports; invalid addresses are counted", () => {
  const subsets = [
    {
      addresses: [{ ip: "10.0.0.1", hostname: "h" }, { ip: "fd00::1" }, { ip: "none" }],
      notReadyAddresses: [{ ip: "10.0.0.2", nodeName: "n" }],
      ports: [{ port: 80, appProtocol: "http" }],
    },
  ];
  const ports = [{ name: "", port: 80, protocol: "TCP", appProtocol: "http" }];
  assert.deepEqual(allSteps(mirrorOf({ subsets })), {
    slices: [
      {
        addressType: "IPv4",
        endpoints: [
          { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h" },
          { addresses: ["10.0.0.2"], conditions: { ready: false }, nodeName: "n" },
        ],
        ports,
      },
      { addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }], ports },
    ],
    invalid: 1,
    tooMany: 0,
  });
  const many = Array.from({ length: 1002 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  const mirrored = allSteps(mirrorOf({ subsets: [{ addresses: many, ports: [port("a", 1)] }] }));
  assert.deepEqual([mirrored.slices[0]?.endpoints.length, mirrored.tooMany], [1000, 2]);
});
