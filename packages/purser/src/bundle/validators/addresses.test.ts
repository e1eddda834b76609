import assert from "node:assert/strict";
import { test } from "node:test";
import { emailFault, urlFault } from "./addresses.ts";

for (const [text, fault] of [
  ["https://example.com/a", undefined],
  ["/a", undefined],
  ["mailto:a", undefined],
  ["a", 'parse "a": invalid URI for request'],
  ["", 'parse "": invalid URI for request'],
  ["/%zz", 'parse "/%zz": invalid URI for request'],
  [":a", 'parse ":a": missing protocol scheme'],
  ["https://a b/", 'parse "https://a b/": invalid character " " in host name'],
  ["https://a/\u0007", 'parse "https://a/\\a": net/url: invalid control character in URL'],
] as const)
  test(`the URL ${JSON.stringify(text)} has ${fault === undefined ? "no fault" : `the fault ${fault}`}`, () =>
    assert.equal(urlFault(text), fault));

for (const [text, fault] of [
  ["ann@example.com", undefined],
  ["Ann <ann@example.com>", undefined],
  ["Ann <>", "mail: no address"],
  ["", "mail: no address"],
  ["ann", "mail: missing '@' or angle-addr"],
  ["ann b", "mail: no angle-addr"],
  ["@example.com", "mail: no angle-addr"],
  ["ann@", "mail: no angle-addr"],
  ["ann@a@b", "mail: expected single address"],
] as const)
  test(`the address ${JSON.stringify(text)} has ${fault === undefined ? "no fault" : `the fault ${fault}`}`, () =>
    assert.equal(emailFault(text), fault));
