import assert from "node:assert/strict";
import { issueAuthority, issueClient, type KeyPair } from "@purser/kubernetes/certificate/certificate";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer, CannotShow } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, gone, text } from "../../scene.ts";

const selfReview: JsonObject = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
const selfReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const tokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";

function tokenReview(spec: JsonObject): JsonObject {
  return { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
}

async function requestToken(scene: Scene, spec: JsonObject = {}, account = "default"): Promise<JsonObject> {
  const accounts = `/api/v1/namespaces/${scene.ns}/serviceaccounts`;
  await eventually(() => scene.ok({ path: `${accounts}/${account}` }).then(() => undefined));
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  return scene.ok({ method: "POST", path: `${accounts}/${account}/token`, body });
}

function decoded(part: string | undefined): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));
  assert.ok(isJsonObject(value as JsonObject));
  return value as JsonObject;
}

/** The same token with modified characters, and whether it is still valid. */
const tokenForms: readonly (readonly [what: string, form: (token: string) => string, recognised: boolean])[] = [
  ["padding", (token) => `${token}=`, false],
  ["padding of its claims", (token) => token.replace(/\.(?=[^.]*$)/, "=."), false],
  [
    "the standard base64 alphabet",
    (token) => token.replace(/[-_](?!.*[-_])/, (found) => (found === "-" ? "+" : "/")),
    false,
  ],
  ["an invalid base64 character", (token) => `${token}!`, false],
  ["a missing character", (token) => token.slice(0, -1), false],
  ["a trailing dot", (token) => `${token}.`, false],
  ["a tab within its signature", (token) => `${token.slice(0, -9)}\t${token.slice(-9)}`, true],
  ["a second word", (token) => `${token} more`, true],
  ["other padding bits", otherLastBits, true],
];

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The last character of a 256-bit signature has two unused bits. */
function otherLastBits(token: string): string {
  return `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) ^ 1] ?? ""}`;
}

async function clientCertificate(scene: Scene, from: "another authority" | "an hour that is over"): Promise<KeyPair> {
  const authority = scene.cluster.clientAuthority;
  if (authority === undefined) throw new CannotShow("the cluster's authority for client certificates is not at hand");
  const issuing = { now: Date.now() - 2 * 3_600_000, validityMs: 3_600_000, entropy: systemEntropy };
  if (from === "an hour that is over")
    return issueClient({ ...issuing, authority, commonName: "carol", organizations: [] });
  const valid = { ...issuing, validityMs: 24 * 3_600_000 };
  const other = await issueAuthority({ ...valid, commonName: "another-authority" });
  return issueClient({ ...valid, authority: other, commonName: "carol", organizations: ["system:masters"] });
}

const issuerPath = "/.well-known/openid-configuration";

export const authenticationRows: readonly Row[] = [
  ...["/version", "/api", "/api/v1/namespaces", "/nope"].map((path): Row => ({
    row: 257,
    name: `an unknown token is refused at ${path}`,
    ask: { path, as: { token: "nobody-issued-this" } },
    code: 401,
    reason: "Unauthorized",
    message: "Unauthorized",
  })),
  {
    row: 258,
    name: "a client certificate sets user and groups",
    run: async (scene) => {
      const authority = scene.cluster.clientAuthority;
      if (authority === undefined)
        throw new CannotShow("the cluster's authority for client certificates is not at hand");
      const certificate = await issueClient({
        now: Date.now() - 60_000,
        validityMs: 3_600_000,
        entropy: systemEntropy,
        authority,
        commonName: "carol",
        organizations: ["devs", "qa"],
      });
      const answer = await scene.ok({ method: "POST", path: selfReviews, body: selfReview, as: { certificate } });
      const user = at(answer, "status", "userInfo");
      assertContains(user, { username: "carol", groups: ["devs", "qa", "system:authenticated"] });
      const [credential] = at(user, "extra", "authentication.kubernetes.io/credential-id") as readonly string[];
      assert.match(credential ?? "", /^X509SHA256=[0-9a-f]{64}$/);
    },
  },
  {
    row: 259,
    name: "a service account token has the expected claims and authenticates",
    run: async (scene) => {
      const request = await requestToken(scene);
      const issuer = text(await scene.ok({ path: issuerPath }), "issuer");
      assertContains(request, {
        kind: "TokenRequest",
        metadata: { name: "default", namespace: scene.ns },
        spec: { audiences: [issuer], expirationSeconds: 3600 },
      });
      const token = text(request, "status", "token");
      const [head, body] = token.split(".");
      assertContains(decoded(head), { alg: "RS256" });
      const claims = decoded(body);
      const account = await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/serviceaccounts/default` });
      assertContains(claims, {
        aud: [issuer],
        iss: issuer,
        sub: `system:serviceaccount:${scene.ns}:default`,
        "kubernetes.io": {
          namespace: scene.ns,
          serviceaccount: { name: "default", uid: text(account, "metadata", "uid") },
        },
      });
      assert.equal(Number(claims["exp"]) - Number(claims["iat"]), 3600);
      assert.equal(claims["nbf"], claims["iat"]);
      const answer = await scene.ok({ method: "POST", path: selfReviews, body: selfReview, as: { token } });
      const jti = text(claims, "jti");
      assertContains(at(answer, "status", "userInfo"), {
        username: `system:serviceaccount:${scene.ns}:default`,
        uid: text(account, "metadata", "uid"),
        groups: ["system:serviceaccounts", `system:serviceaccounts:${scene.ns}`, "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] },
      });
    },
  },
  ...(["another authority", "an hour that is over"] as const).flatMap((from): readonly Row[] => [
    {
      row: 258,
      name: `a client certificate of ${from}`,
      run: async (scene) => {
        const certificate = await clientCertificate(scene, from);
        for (const path of ["/version", "/api/v1/namespaces", "/nope"])
          assertAnswer(await scene.ask({ path, as: { certificate } }), { code: 401, reason: "Unauthorized" });
      },
    },
    {
      row: 258,
      name: `a client certificate of ${from}, beside a token that is valid and one that is not`,
      run: async (scene) => {
        const certificate = await clientCertificate(scene, from);
        const send = async (token: string) =>
          scene.ask({
            method: "POST",
            path: selfReviews,
            body: selfReview,
            as: { certificate },
            headers: { authorization: `Bearer ${token}` },
          });
        const valid = await send(text(await requestToken(scene), "status", "token"));
        const username = `system:serviceaccount:${scene.ns}:default`;
        assertAnswer(valid, { code: 201, contains: { status: { userInfo: { username } } } });
        assertAnswer(await send("nobody-issued-this"), { code: 401, reason: "Unauthorized" });
      },
    },
  ]),
  ...tokenForms.map(([what, form, recognised]): Row => ({
    row: 259,
    name: `a token of a service account with ${what}`,
    run: async (scene) => {
      const token = form(text(await requestToken(scene), "status", "token"));
      const answer = await scene.ask({ path: scene.cms, as: { token } });
      assert.equal(answer.code, recognised ? 403 : 401, answer.text);
      const username = `system:serviceaccount:${scene.ns}:default`;
      assert.equal(answer.message.includes(username), recognised, answer.message);
    },
  })),
  {
    row: 259,
    name: "a token after two spaces is ignored with a warning",
    run: async (scene) => {
      const token = ` ${text(await requestToken(scene), "status", "token")}`;
      const answer = await scene.ask({ path: scene.cms, as: { token } });
      assert.equal(answer.code, 403, answer.text);
      assert.ok(answer.message.includes("system:anonymous"), answer.message);
      assert.deepEqual(answer.warnings, [
        "the provided Authorization header contains extra space before the bearer token, and is ignored",
      ]);
    },
  },
  {
    row: 259,
    name: "a token for another audience is refused",
    run: async (scene) => {
      const token = text(await requestToken(scene, { audiences: ["somebody"] }), "status", "token");
      assertAnswer(await scene.ask({ path: "/version", as: { token } }), { code: 401, reason: "Unauthorized" });
    },
  },
  {
    row: 259,
    name: "a token lifetime below ten minutes is refused",
    run: async (scene) => {
      await requestToken(scene);
      const path = `/api/v1/namespaces/${scene.ns}/serviceaccounts/default/token`;
      const body = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 10 },
      };
      const answer = await scene.ask({ method: "POST", path, body });
      assert.equal(answer.code, 422, answer.text);
      assert.ok(
        answer.message.includes(
          "spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes",
        ),
        answer.message,
      );
    },
  },
  {
    row: 259,
    name: "a token request for a missing service account is refused",
    ask: {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/serviceaccounts/nope/token",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    },
    code: 404,
    message: 'serviceaccounts "nope" not found',
  },
  {
    row: 260,
    name: "a service account token Secret is filled, works, and is deleted with its account",
    run: async (scene) => {
      const accounts = `/api/v1/namespaces/${scene.ns}/serviceaccounts`;
      const secrets = `/api/v1/namespaces/${scene.ns}/secrets`;
      const account = await scene.ok({ method: "POST", path: accounts, body: { metadata: { name: "sa" } } });
      const uid = text(account, "metadata", "uid");
      await scene.ok({
        method: "POST",
        path: secrets,
        body: {
          metadata: { name: "t", annotations: { "kubernetes.io/service-account.name": "sa" } },
          type: "kubernetes.io/service-account-token",
        },
      });
      const filled = async (): Promise<JsonObject> => {
        const secret = await scene.ok({ path: `${secrets}/t` });
        assertContains(secret, { metadata: { annotations: { "kubernetes.io/service-account.uid": uid } } });
        return secret;
      };
      await eventually(() => filled().then(() => undefined));
      const secret = await filled();
      const data = (key: string): string => Buffer.from(text(secret, "data", key), "base64").toString("utf8");
      assert.equal(data("namespace"), scene.ns);
      assert.match(data("ca.crt"), /BEGIN CERTIFICATE/);
      const claims = decoded(data("token").split(".")[1]);
      assertContains(claims, {
        iss: "kubernetes/serviceaccount",
        sub: `system:serviceaccount:${scene.ns}:sa`,
        "kubernetes.io/serviceaccount/namespace": scene.ns,
        "kubernetes.io/serviceaccount/secret.name": "t",
        "kubernetes.io/serviceaccount/service-account.name": "sa",
        "kubernetes.io/serviceaccount/service-account.uid": uid,
        exp: undefined,
      } as never);
      const answer = await scene.ok({
        method: "POST",
        path: selfReviews,
        body: selfReview,
        as: { token: data("token") },
      });
      assertContains(answer, { status: { userInfo: { username: `system:serviceaccount:${scene.ns}:sa` } } });
      await scene.ok({ method: "DELETE", path: `${accounts}/sa` });
      await gone(scene, `${secrets}/t`);
    },
  },
  {
    row: 261,
    name: "a TokenReview of a valid token",
    run: async (scene) => {
      const request = await requestToken(scene);
      const token = text(request, "status", "token");
      const answer = await scene.ask({ method: "POST", path: tokenReviews, body: tokenReview({ token }) });
      assertAnswer(answer, {
        code: 201,
        contains: {
          status: {
            authenticated: true,
            audiences: at(request, "spec", "audiences") as never,
            user: { username: `system:serviceaccount:${scene.ns}:default` },
            error: undefined,
          } as never,
        },
      });
    },
  },
  {
    row: 261,
    name: "a TokenReview of an invalid token",
    run: async (scene) => {
      const answer = await scene.ask({ method: "POST", path: tokenReviews, body: tokenReview({ token: "bad" }) });
      assert.equal(answer.code, 201);
      assert.deepEqual(at(answer.object, "status", "authenticated"), undefined);
      assert.deepEqual(at(answer.object, "status", "user"), {});
      assert.notEqual(text(answer.object, "status", "error"), "");
    },
  },
  {
    row: 261,
    name: "a TokenReview without token",
    ask: { method: "POST", path: tokenReviews, body: tokenReview({}) },
    code: 400,
    message: "token is required for TokenReview in authentication",
  },
];
