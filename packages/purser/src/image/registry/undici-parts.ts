// What is used of undici. Its index also loads fetch, caches, WebSocket and mocks, which take 13 MB.
import request from "undici/lib/api/api-request.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";

// As the index does.
Object.assign(Dispatcher.prototype, { request });

export { Agent, buildConnector, ProxyAgent };
