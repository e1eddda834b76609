import type { UserInfo } from "../transport.ts";

/** Impersonation headers for `user`. Several values are separated by line feeds. */
export function impersonationHeaders(user: UserInfo): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "impersonate-user": user.name };
  if (user.uid !== undefined) headers["impersonate-uid"] = user.uid;
  if (user.groups.length > 0) headers["impersonate-group"] = user.groups.join("\n");
  for (const [key, values] of Object.entries(user.extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values.join("\n");
  return headers;
}
