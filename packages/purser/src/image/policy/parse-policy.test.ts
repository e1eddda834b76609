import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePolicy } from "./parse-policy.ts";

const scope = (requirement: object): string =>
  JSON.stringify({ default: [{ type: "reject" }], transports: { docker: { "quay.io": [requirement] } } });
const signedBy = (members: object): string => scope({ type: "sigstoreSigned", ...members });
const at = "/transports/docker/quay.io/0";

const refused: readonly (readonly [text: string, problem: string])[] = [
  ["", "it is not one JSON object"],
  ["[]", "it is not one JSON object"],
  ["default: [{type: reject}]", "it is not one JSON object"],
  ['{"default": [{"type": "reject"}]} {}', "it is not one JSON object"],
  ["{}", "/default is missing"],
  ['{"default": []}', "/default is not a list with requirements"],
  ['{"default": {"type": "reject"}}', "/default is not a list with requirements"],
  ['{"default": [{"type": "reject"}], "transport": {}}', "/transport is unknown"],
  ['{"default": [{"type": "reject"}], "default": [{"type": "insecureAcceptAnything"}]}', "/default occurs twice"],
  ['{"default": [{"type": "accept"}]}', '/default/0/type is "accept", which is no requirement'],
  ['{"default": [{"type": "reject", "type": "insecureAcceptAnything"}]}', "/default/0/type occurs twice"],
  ['{"default": [{"type": "insecureAcceptAnything", "but": 1}]}', "/default/0/but is unknown"],
  ['{"default": [{}]}', "/default/0/type is missing"],
  ['{"default": [{"type": "reject"}], "transports": {"docker": []}}', "/transports/docker is not an object"],
  [
    '{"default": [{"type": "reject"}], "transports": {"purser": {"": [{"type": "reject"}]}}}',
    '/transports/purser holds ""; its scopes are catalog/NAME and package/NAME',
  ],
  [signedBy({}), `${at} has none of keyPath, keyPaths, keyData, keyDatas, fulcio, pki`],
  [signedBy({ keyPath: "a", keyData: "YQ==" }), `${at} has both keyPath and keyData`],
  [signedBy({ keyPath: 5 }), `${at}/keyPath is not a text`],
  [signedBy({ keyPaths: "a" }), `${at}/keyPaths is not a list of texts`],
  [signedBy({ keyPaths: [] }), `${at}/keyPaths is empty`],
  [signedBy({ keyData: "not base64!" }), `${at}/keyData is not base64`],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "any" } }),
    `${at}/signedIdentity/type is "any", which is no identity`,
  ],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "exactReference" } }),
    `${at}/signedIdentity/dockerReference is missing`,
  ],
  [
    signedBy({ keyPath: "a", rekorPublicKeyPath: "b", rekorPublicKeyData: "YQ==" }),
    `${at} has both rekorPublicKeyPath and rekorPublicKeyData`,
  ],
  [
    signedBy({ fulcio: { caPath: "a", oidcIssuer: "b", subjectEmail: "c" } }),
    `${at} has fulcio without rekorPublicKeyPath or rekorPublicKeyData`,
  ],
  [
    signedBy({ keyPath: "a", rekorPublicKeyPath: "b", timestampAuthorityPath: "c" }),
    `${at} has a timestamp authority without fulcio: keys are checked without a time`,
  ],
  [
    signedBy({ fulcio: { caPath: "a", oidcIssuer: "b" }, rekorPublicKeyPath: "r" }),
    `${at}/fulcio/subjectEmail is missing`,
  ],
  [
    signedBy({ fulcio: { oidcIssuer: "b", subjectEmail: "c" }, rekorPublicKeyPath: "r" }),
    `${at}/fulcio has none of caPath, caData`,
  ],
  ['{"default": [', "unexpected EOF (line 1)"],
  [signedBy({ keyPath: "a", but: 1 }), `${at}/but is unknown`],
  [signedBy({ keyPath: "" }), `${at}/keyPath is not a text`],
  [signedBy({ keyPaths: ["a", ""] }), `${at}/keyPaths is not a list of texts`],
  [signedBy({ keyPath: ["a"] }), `${at}/keyPath is not a text`],
  [scope({ type: "" }), `${at}/type is not a text`],
  [scope({ type: 1 }), `${at}/type is not a text`],
  [scope({ type: "reject", but: 1 }), `${at}/but is unknown`],
  ['{"default": [{"type": "reject"}], "transports": 1}', "/transports is not an object"],
  [signedBy({ keyPath: "a", signedIdentity: "matchExact" }), `${at}/signedIdentity is not an object`],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "matchExact", dockerReference: "b" } }),
    `${at}/signedIdentity/dockerReference is unknown`,
  ],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "exactReference", dockerReference: "b", prefix: "c" } }),
    `${at}/signedIdentity/prefix is unknown`,
  ],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "exactRepository", dockerRepository: "b", prefix: "c" } }),
    `${at}/signedIdentity/prefix is unknown`,
  ],
  [
    signedBy({ keyPath: "a", signedIdentity: { type: "remapIdentity", prefix: "b", signedPrefix: "c", but: 1 } }),
    `${at}/signedIdentity/but is unknown`,
  ],
  [
    signedBy({ fulcio: { caPath: "a", oidcIssuer: "b", subjectEmail: "c", but: 1 }, rekorPublicKeyPath: "r" }),
    `${at}/fulcio/but is unknown`,
  ],
];
for (const [text, problem] of refused)
  test(`refuses ${text === "" ? "an empty file" : text}`, () => {
    assert.deepEqual(parsePolicy(text), { ok: false, problem });
  });

test("reads every requirement; GPG requirements are kept as unsupported, also with members of their own", () => {
  const policy = parsePolicy(
    JSON.stringify({
      default: [{ type: "insecureAcceptAnything" }, { type: "signedBy", keyType: "GPGKeys", keyPath: "/k" }],
      transports: {
        docker: {
          "": [{ type: "sigstoreSigned", keyPaths: ["a", "b"], signedIdentity: { type: "matchRepository" } }],
          "quay.io": [
            {
              type: "sigstoreSigned",
              fulcio: { caData: "Y2E=", oidcIssuer: "https://o", subjectEmail: "a@b" },
              rekorPublicKeyData: "a2V5",
              timestampAuthorityPaths: ["/tsa.pem"],
              signedIdentity: { type: "remapIdentity", prefix: "a", signedPrefix: "b" },
            },
          ],
        },
        purser: { "catalog/foo": [{ type: "reject" }] },
      },
    }),
  );
  assert.deepEqual(policy, {
    ok: true,
    value: {
      default: [{ kind: "accept" }, { kind: "unsupported", type: "signedBy" }],
      transports: new Map([
        [
          "docker",
          new Map([
            [
              "",
              [
                {
                  kind: "sigstoreSigned",
                  signers: {
                    kind: "keys",
                    keys: [
                      { kind: "file", path: "a" },
                      { kind: "file", path: "b" },
                    ],
                  },
                  logKeys: [],
                  timestampAuthorities: [],
                  identity: { kind: "matchRepository" },
                },
              ],
            ],
            [
              "quay.io",
              [
                {
                  kind: "sigstoreSigned",
                  signers: {
                    kind: "fulcio",
                    authorities: { kind: "data", bytes: Buffer.from("ca") },
                    oidcIssuer: "https://o",
                    subjectEmail: "a@b",
                  },
                  logKeys: [{ kind: "data", bytes: Buffer.from("key") }],
                  timestampAuthorities: [{ kind: "file", path: "/tsa.pem" }],
                  identity: { kind: "remapIdentity", prefix: "a", signedPrefix: "b" },
                },
              ],
            ],
          ]),
        ],
        ["purser", new Map([["catalog/foo", [{ kind: "reject" }]]])],
      ]),
    },
  });
});

const identities: readonly (readonly [given: object | undefined, identity: object])[] = [
  [undefined, { kind: "matchRepoDigestOrExact" }],
  [{ type: "matchRepoDigestOrExact" }, { kind: "matchRepoDigestOrExact" }],
  [{ type: "matchExact" }, { kind: "matchExact" }],
  [{ type: "matchDigest" }, { kind: "matchDigest" }],
  [
    { type: "exactReference", dockerReference: "a:1" },
    { kind: "exactReference", reference: "a:1" },
  ],
  [
    { type: "exactRepository", dockerRepository: "a" },
    { kind: "exactRepository", reference: "a" },
  ],
];
for (const [signedIdentity, identity] of identities)
  test(`the identity ${JSON.stringify(signedIdentity) ?? "by default"} is read`, () => {
    const policy = parsePolicy(signedBy({ keyData: "YQ==", signedIdentity }));
    assert.deepEqual(policy.ok && policy.value.transports.get("docker")?.get("quay.io"), [
      {
        kind: "sigstoreSigned",
        signers: { kind: "keys", keys: [{ kind: "data", bytes: Buffer.from("a") }] },
        logKeys: [],
        timestampAuthorities: [],
        identity,
      },
    ]);
  });

test("requirements that are not supported are kept by name", () => {
  const kinds = ["signedBy", "signedBaseLayer"].map((type) => ({ type }));
  const policy = parsePolicy(
    JSON.stringify({ default: [...kinds, { type: "sigstoreSigned", pki: { caRootsPath: "a" } }] }),
  );
  assert.deepEqual(policy.ok && policy.value.default, [
    { kind: "unsupported", type: "signedBy" },
    { kind: "unsupported", type: "signedBaseLayer" },
    { kind: "unsupported", type: "sigstoreSigned with pki" },
  ]);
});
