import assert from "node:assert/strict";
import { test } from "node:test";
import { readPayload, writePayload } from "./simple-signing.ts";

const digest = `sha256:${"a".repeat(64)}` as const;
const claim = { digest, reference: "quay.io/acme/catalog:v1" };
const critical = {
  type: "cosign container image signature",
  image: { "docker-manifest-digest": digest },
  identity: { "docker-reference": claim.reference },
};
const read = (text: string) => readPayload(new TextEncoder().encode(text));

test("a payload that is written is read back, and that of cosign and skopeo with annotations is read", () => {
  assert.deepEqual(readPayload(writePayload(claim)), { ok: true, value: claim });
  const optional = { creator: "containers/image 5.40", timestamp: 1_700_000_000 };
  assert.deepEqual(read(`${JSON.stringify({ critical, optional })}\n`), { ok: true, value: claim });
});

const refused: readonly (readonly [text: string, problem: RegExp])[] = [
  ["", /not one JSON object/],
  ["critical: {}", /not one JSON object/],
  [`${JSON.stringify({ critical, optional: null })} {}`, /not one JSON object/],
  [`{"critical": ${JSON.stringify(critical)}, "critical": {}, "optional": null}`, /not one JSON object/],
  [JSON.stringify({ critical }), /not a signature of an image/],
  [JSON.stringify({ critical, optional: null, more: 1 }), /not a signature of an image/],
  [
    JSON.stringify({ critical: { ...critical, type: "atomic container signature" }, optional: null }),
    /not a signature of an image/,
  ],
  [JSON.stringify({ critical: { ...critical, extra: 1 }, optional: null }), /not a signature of an image/],
  [
    JSON.stringify({ critical: { ...critical, image: { "docker-manifest-digest": "sha256:a" } }, optional: null }),
    /names no sha256 digest/,
  ],
  [JSON.stringify({ critical: { ...critical, image: null }, optional: null }), /names no sha256 digest/],
  [
    JSON.stringify({ critical: { ...critical, identity: { "docker-reference": 5 } }, optional: null }),
    /names no image/,
  ],
];
for (const [text, problem] of refused)
  test(`a payload is refused: ${text === "" ? "empty" : text}`, () => {
    const payload = read(text);
    assert.match(payload.ok ? "" : payload.problem, problem);
  });
