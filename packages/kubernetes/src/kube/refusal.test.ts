import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteRefusal } from "../apis/object-write.ts";
import { done, failed } from "../result.ts";
import {
  ApiRefusedError,
  isMissingRight,
  isRefused,
  readOrRefusal,
  refusalOf,
  statusOf,
  written,
  writtenUnlessDeleted,
} from "./refusal.ts";

for (const [reason, code, kind] of [
  ["NotFound", 404, "notFound"],
  ["AlreadyExists", 409, "alreadyExists"],
  ["Conflict", 409, "conflict"],
  ["Invalid", 422, "invalid"],
  ["Forbidden", 403, "forbidden"],
  ["Gone", 410, "gone"],
  ["Expired", 410, "gone"],
  ["TooManyRequests", 429, "busy"],
  ["ServerTimeout", 500, "busy"],
  ["Timeout", 504, "busy"],
  ["ServiceUnavailable", 503, "busy"],
  ["InternalError", 500, "other"],
  ["", 403, "forbidden"],
  ["", 404, "notFound"],
  ["", 409, "conflict"],
  ["", 410, "gone"],
  ["", 422, "invalid"],
  ["", 429, "busy"],
  ["", 503, "busy"],
  ["", 504, "busy"],
  ["", 500, "other"],
  ["Conflict", 500, "conflict"],
] as const)
  test(`reason "${reason}" with code ${code} is ${kind}`, () => {
    const status = { code, reason, message: "m" };
    assert.deepEqual(refusalOf(status), { kind, status });
  });

const refusal = (kind: WriteRefusal["kind"], message = "m"): WriteRefusal => ({
  kind,
  status: { code: 0, reason: "", message },
});

test("a write that must succeed throws its refusal with the server's message, and gives its value otherwise", () => {
  assert.equal(written(done("object")), "object");
  assert.throws(
    () => written(failed(refusal("conflict", "changed meanwhile"))),
    (error) => error instanceof ApiRefusedError && String(error) === "ApiRefusedError: changed meanwhile",
  );
});

test("an object that was deleted meanwhile is the only refusal that a write to it survives", () => {
  writtenUnlessDeleted(done("object"));
  writtenUnlessDeleted(failed(refusal("notFound")));
  for (const kind of ["conflict", "forbidden", "busy", "gone", "other"] as const)
    assert.throws(() => writtenUnlessDeleted(failed(refusal(kind))), ApiRefusedError, kind);
});

test("a refused read is a value, and everything else is thrown", async () => {
  const forbidden = refusal("forbidden");
  assert.deepEqual(await readOrRefusal(Promise.resolve(1)), done(1));
  assert.deepEqual(await readOrRefusal(Promise.reject(new ApiRefusedError(forbidden))), failed(forbidden));
  await assert.rejects(readOrRefusal(Promise.reject(new Error("lost"))), /^Error: lost$/);
});

test("an error is a refusal of one kind", () => {
  const error = new ApiRefusedError(refusal("conflict"));
  assert.deepEqual(
    [isRefused(error, "conflict"), isRefused(error, "notFound"), isRefused(new Error("conflict"), "conflict")],
    [true, false, false],
  );
});

for (const [what, kind, message, expected] of [
  ["the authorizer's refusal", "forbidden", 'User "u" cannot get resource "pods" in API group ""', true],
  ["a refused escalation", "forbidden", 'user "u" is attempting to grant RBAC permissions not currently held:', true],
  ["admission's refusal", "forbidden", 'pods "a" is forbidden: exceeded quota', false],
  ["another refusal in the same words", "invalid", 'User "u" cannot get resource "pods"', false],
] as const)
  test(`${what} is ${expected ? "a" : "no"} missing right`, () =>
    assert.equal(isMissingRight(new ApiRefusedError(refusal(kind, message))), expected));

for (const [what, code, body, text, retryAfter, expected] of [
  [
    "a Status as it is",
    404,
    { kind: "Status", code: 410, reason: "Gone", message: "m" },
    "",
    undefined,
    { kind: "Status", code: 410, reason: "Gone", message: "m" },
  ],
  [
    "a Status without code and reason with that of HTTP",
    404,
    { kind: "Status", message: "m" },
    "",
    undefined,
    { kind: "Status", code: 404, reason: "", message: "m" },
  ],
  [
    "a Status without message as text",
    404,
    { kind: "Status" },
    " t ",
    undefined,
    { code: 404, reason: "", message: "t" },
  ],
  [
    "another object as text",
    404,
    { kind: "Pod", message: "m" },
    "t",
    undefined,
    { code: 404, reason: "", message: "t" },
  ],
  [
    "no body with its code",
    502,
    undefined,
    " \n",
    undefined,
    { code: 502, reason: "", message: "the server answered 502" },
  ],
  [
    "the seconds to wait",
    429,
    undefined,
    "busy",
    "7",
    { code: 429, reason: "", message: "busy", details: { retryAfterSeconds: 7 } },
  ],
  ["no time that is none", 429, undefined, "busy", "soon", { code: 429, reason: "", message: "busy" }],
  ["no time that is over", 429, undefined, "busy", "0", { code: 429, reason: "", message: "busy" }],
  [
    "1024 characters of a long text",
    500,
    undefined,
    "x".repeat(1025),
    undefined,
    { code: 500, reason: "", message: "x".repeat(1024) },
  ],
] as const)
  test(`an answer shows ${what}`, () => assert.deepEqual(statusOf(code, body, text, retryAfter), expected));
