// What is used of undici. Its index also loads fetch, caches, WebSocket and mocks, which take 13 MB.
import connect from "undici/lib/api/api-connect.js";
import request from "undici/lib/api/api-request.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";

// As the index does; a ProxyAgent connects by it.
Object.assign(Dispatcher.prototype, { connect, request });

export { Agent, ProxyAgent };
