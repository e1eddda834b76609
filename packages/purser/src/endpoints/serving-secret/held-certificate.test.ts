import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import type { Secret } from "@purser/kubernetes/apis/core";
import { issueAuthority, issueServing, type KeyPair } from "@purser/kubernetes/certificate/certificate";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { certificateIn, ownStep, renewBeforeMs } from "./held-certificate.ts";

const dayMs = 86_400_000;
const now = Date.parse("2026-01-01T00:00:00Z");
const hosts = ["purser-packages.purser-system.svc", "purser-catalogs.purser-system.svc"];
let authority: KeyPair;
let other: KeyPair;
let serving: KeyPair;

before(async () => {
  const issuing = { now: now - dayMs, validityMs: 400 * dayMs, entropy: systemEntropy, commonName: "ca" };
  [authority, other] = [await issueAuthority(issuing), await issueAuthority(issuing)];
  serving = await issue({});
});

function issue(changes: { readonly by?: KeyPair; readonly days?: number; readonly hosts?: readonly string[] }) {
  const { by = authority, days = 30, hosts: names = hosts } = changes;
  return issueServing({ now, validityMs: days * dayMs, entropy: systemEntropy, authority: by, hosts: names });
}

const holding = (texts: Readonly<Record<string, string>>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {},
  data: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, btoa(text)])),
});
const whole = (
  { certificatePem, privateKeyPem }: KeyPair,
  by: KeyPair = authority,
): Readonly<Record<string, string>> => ({
  "tls.crt": certificatePem,
  "tls.key": privateKeyPem,
  "ca.crt": by.certificatePem,
  "ca.key": by.privateKeyPem,
});
const without = (texts: Readonly<Record<string, string>>, ...names: readonly string[]): Secret =>
  holding(Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name))));

suite("the certificate that replicas share", () => {
  test("is read from a Secret of another issuer, with or without its authority", () => {
    const { certificatePem, privateKeyPem } = serving;
    assert.deepEqual(certificateIn(without(whole(serving), "ca.key")), {
      ok: true,
      value: { certificatePem, privateKeyPem, authorityPem: authority.certificatePem },
    });
    assert.deepEqual(certificateIn(without(whole(serving), "ca.key", "ca.crt")), {
      ok: true,
      value: { certificatePem, privateKeyPem },
    });
  });

  test("a Secret without a usable certificate says what is wrong", () => {
    const rows: readonly (readonly [Secret | undefined, string])[] = [
      [undefined, "the Secret does not exist"],
      [without(whole(serving), "tls.crt"), "the Secret has no tls.crt"],
      [without(whole(serving), "tls.key"), "the Secret has no tls.key"],
      [
        holding({ ...whole(serving), "tls.key": authority.privateKeyPem }),
        "its tls.key does not belong to its tls.crt",
      ],
    ];
    for (const [secret, problem] of rows) assert.deepEqual(certificateIn(secret), { ok: false, problem });
    const unreadable = certificateIn(holding({ ...whole(serving), "tls.crt": "no certificate" }));
    assert.match(unreadable.ok ? "" : unreadable.problem, /^its tls\.crt is not a certificate: /);
  });

  const shown = (secret: Secret | undefined, at = now + dayMs, names = hosts): string => {
    const step = ownStep(secret, names, at);
    return step.kind === "keep" ? "keep" : `${step.kind}: ${step.why}`;
  };

  test("is kept until ten days before it expires, and then renewed by the same authority", () => {
    const held = holding(whole(serving));
    const lastMoment = now + 30 * dayMs - renewBeforeMs;
    assert.deepEqual(
      [shown(held), shown(held, lastMoment), shown(held, lastMoment + 1)],
      ["keep", "keep", "renew: the certificate expires soon"],
    );
    const step = ownStep(held, hosts, lastMoment + 1);
    assert.deepEqual(step.kind === "renew" && step.authority, authority);
  });

  test("is renewed when it does not fit any more", async () => {
    const rows: readonly (readonly [Secret, string])[] = [
      [without(whole(serving), "tls.crt"), "renew: the Secret has no tls.crt"],
      [
        holding(whole(await issue({ hosts: [hosts[0] ?? ""] }))),
        "renew: the certificate is not for purser-catalogs.purser-system.svc",
      ],
      [
        holding(whole(await issue({ by: other }))),
        "renew: the certificate was not issued by the authority in the Secret",
      ],
    ];
    for (const [secret, wanted] of rows) assert.equal(shown(secret), wanted);
    assert.equal(shown(holding(whole(serving)), now - 1), "renew: the certificate is not valid yet");
  });

  test("begins with a new authority where there is none that can go on", () => {
    const why = "the authority in the Secret is missing, not valid or expires soon";
    assert.equal(shown(undefined), "begin: the Secret does not exist");
    assert.equal(shown(without(whole(serving), "ca.key")), `begin: ${why}`);
    assert.equal(shown(holding({ ...whole(serving), "ca.key": other.privateKeyPem })), `begin: ${why}`);
    assert.equal(shown(holding({ ...whole(serving), "ca.crt": serving.certificatePem })), `begin: ${why}`);
    const noAuthority = { "ca.crt": serving.certificatePem, "ca.key": serving.privateKeyPem };
    assert.equal(shown(holding({ ...whole(serving), ...noAuthority })), `begin: ${why}`);
    // 400 days from the day before, less 60.
    assert.equal(shown(holding(whole(serving)), now + 340 * dayMs).split(":")[0], "begin");
    assert.equal(shown(holding(whole(serving)), now + 338 * dayMs).split(":")[0], "renew");
  });
});
