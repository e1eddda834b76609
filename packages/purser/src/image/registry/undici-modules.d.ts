// undici has types for its index alone.
declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";
  const part: typeof Agent;
  export default part;
}
declare module "undici/lib/dispatcher/dispatcher.js" {
  import type { Dispatcher } from "undici";
  const part: typeof Dispatcher;
  export default part;
}
declare module "undici/lib/dispatcher/proxy-agent.js" {
  import type { ProxyAgent } from "undici";
  const part: typeof ProxyAgent;
  export default part;
}
declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";
  const part: typeof buildConnector;
  export default part;
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  const part: Dispatcher["request"];
  export default part;
}
