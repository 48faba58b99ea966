import { matchesAny, onModuleName, workspacePath } from './workspace-path.mjs';

/** What opens a connection to somewhere else, by builtin module. Listening (`createServer`) is not in it. */
const dialing = new Map([
  ['http', ['request', 'get', 'Agent', 'globalAgent', 'ClientRequest']],
  ['https', ['request', 'get', 'Agent', 'globalAgent']],
  ['http2', ['connect']],
  ['net', ['connect', 'createConnection', 'Socket']],
  ['tls', ['connect', 'TLSSocket']],
  ['dgram', ['createSocket']],
]);
const clients = ['undici', 'axios', 'got', 'node-fetch', 'ws', 'eventsource'];
const globals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];

/**
 * Only `outbound` opens outgoing connections (DESIGN §4, §9): it alone checks the resolved address, caps sizes and
 * times, and follows redirects safely. Types (`typeof fetch`) are free. Option `in`: the globs that may dial.
 */
export const outgoingConnections = {
  meta: {
    type: 'problem',
    docs: { description: 'only libs/outbound opens outgoing connections' },
    schema: [{ type: 'object', properties: { in: { type: 'array' } }, additionalProperties: false }],
    messages: { dials: '{{what}} opens an outgoing connection: only libs/outbound does, ask it for a `fetch`.' },
  },
  create(context) {
    if (matchesAny(workspacePath(context), context.options[0]?.in ?? [])) return {};
    const report = (/** @type {any} */ node, /** @type {string} */ what) =>
      context.report({ node, messageId: 'dials', data: { what } });

    return {
      ...onModuleName((node, name, typeOnly) => {
        const module = name.replace(/^node:/, '');
        if (typeOnly) return;
        if (clients.includes(name.split('/')[0])) report(node, `"${name}"`);
        else if (node.type === 'ImportDeclaration') reportDialingImports(context, node, module, report);
      }),
      'Program:exit': (/** @type {any} */ program) => reportGlobals(context, program, report),
    };
  },
};

function reportDialingImports(context, declaration, module, report) {
  const banned = dialing.get(module) ?? [];
  for (const specifier of declaration.specifiers) {
    if (specifier.importKind === 'type') continue;
    if (specifier.type === 'ImportSpecifier') {
      const used = context.sourceCode.getDeclaredVariables(specifier)[0].references.filter(isValue);
      if (banned.includes(specifier.imported.name) && used.length > 0) {
        report(specifier, `${specifier.imported.name} of "${module}"`);
      }
      continue;
    }
    for (const { identifier } of context.sourceCode.getDeclaredVariables(specifier)[0].references.filter(isValue)) {
      const name = identifier.parent.property?.name;
      if (identifier.parent.object === identifier && banned.includes(name))
        report(identifier.parent, `${module}.${name}`);
    }
  }
}

function reportGlobals(context, program, report) {
  const scope = context.sourceCode.getScope(program);
  const unbound = [
    ...scope.through,
    ...scope.variables.filter((one) => one.defs.length === 0).flatMap((one) => one.references),
  ];
  for (const reference of new Set(unbound)) {
    const { identifier } = reference;
    if (!isValue(reference)) continue;
    if (globals.includes(identifier.name)) report(identifier, identifier.name);
    const member = identifier.name === 'globalThis' && identifier.parent.property?.name;
    if (member && globals.includes(member)) report(identifier.parent, `globalThis.${member}`);
  }
}

/** False for `typeof fetch` and other places where only the type is meant. */
function isValue(reference) {
  if (reference.isValueReference === false) return false;
  return !/^TSTypeQuery$|^TSQualifiedName$/.test(reference.identifier.parent.type);
}
