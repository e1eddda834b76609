import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { anonymous, type FrontProxyTrust, frontProxyTrust, requestingUser } from "./requesting-user.ts";

const configMap = (data: ConfigMap["data"] & object): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {},
  data,
});
const trust: FrontProxyTrust = {
  authorities: "PEM",
  names: ["front-proxy-client"],
  userHeaders: ["x-remote-user"],
  uidHeaders: ["x-remote-uid"],
  groupHeaders: ["x-remote-group"],
  extraPrefixes: ["x-remote-extra-"],
};
const proxy = { isVerified: true, commonName: "front-proxy-client" };
const headers = { "x-remote-user": ["alice"], "x-remote-group": ["devs", "ops"], accept: ["*/*"] };

suite("the user of a request to the package API", () => {
  test("is named by the front proxy's headers, with all groups, uid and extra", () => {
    const all = {
      ...headers,
      "x-remote-uid": ["7"],
      "x-remote-extra-scopes%2fa": ["x", "y"],
      "x-remote-extra-%": ["z"],
    };
    assert.deepEqual(requestingUser(all, proxy, trust), {
      name: "alice",
      uid: "7",
      groups: ["devs", "ops", "system:authenticated"],
      extra: { "scopes/a": ["x", "y"], "%": ["z"] },
    });
  });

  test("is nobody when the connection is not the proxy's, whatever the headers say", () => {
    const peers = [
      { isVerified: false, commonName: "front-proxy-client" },
      { isVerified: true, commonName: "admin" },
      { isVerified: true, commonName: undefined },
    ];
    for (const peer of peers) assert.deepEqual(requestingUser(headers, peer, trust), anonymous);
    assert.deepEqual(requestingUser(headers, proxy, undefined), anonymous);
    assert.deepEqual(requestingUser({ accept: ["*/*"] }, proxy, trust), anonymous);
    assert.deepEqual(requestingUser({ "x-remote-user": [""] }, proxy, trust), anonymous);
  });

  test("may have any common name where the API server allows every certificate of the authority", () => {
    assert.equal(requestingUser(headers, { isVerified: true, commonName: "x" }, { ...trust, names: [] }).name, "alice");
  });

  test("who is not authenticated does not become so by way of the proxy", () => {
    const unknown = { "x-remote-user": ["system:anonymous"], "x-remote-group": ["system:unauthenticated"] };
    assert.deepEqual(requestingUser(unknown, proxy, trust), anonymous);
  });

  test("whom to believe is read from the API server's ConfigMap", () => {
    const data = {
      "requestheader-client-ca-file": "PEM",
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-uid-headers": '["X-Remote-Uid"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    };
    assert.deepEqual(frontProxyTrust(configMap(data)), trust);
    assert.equal(frontProxyTrust(configMap({ ...data, "requestheader-client-ca-file": "" })), undefined);
    assert.equal(frontProxyTrust(configMap({ ...data, "requestheader-username-headers": "{" })), undefined);
  });
});
