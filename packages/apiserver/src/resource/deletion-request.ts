import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import type { Body } from "../request/body.ts";
import { bodyBytes, readBody } from "../request/body.ts";
import { badRequest } from "../request/refusal.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { deleteOptions } from "./delete-options.ts";
import type { ResourceRequest } from "./resource-request.ts";

/** The options of a DELETE: in its body, which may be missing, or in its query. */
export async function readDeletion({
  protobuf,
  sent: request,
  call,
}: ResourceRequest): Promise<Result<DeleteOptions, ApiStatus>> {
  let body: Body | undefined;
  if (request.body?.kind === "object") body = { value: request.body.value, duplicates: [] };
  else if (request.body !== undefined) {
    const bytes = await bodyBytes(request);
    if (!bytes.ok) return bytes;
    if (bytes.value.length > 0) {
      const read = await readBody(
        { ...request, body: { kind: "bytes", bytes: bytes.value } },
        "DeleteOptions",
        protobuf.deleteOptions,
        call.work,
      );
      if (!read.ok) {
        const [, why] =
          /^the object provided is unrecognized \(must be of type DeleteOptions\): (.*) \(.*\)$/s.exec(
            read.problem.message,
          ) ?? [];
        return why === undefined ? read : badRequest(why);
      }
      body = read.value;
    }
  }
  return deleteOptions(call.query, body);
}
