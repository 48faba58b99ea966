const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

/** Whether a `Host` header, with or without a port, names this machine to itself. */
export const isLoopbackHost = (host: string | undefined): boolean => host !== undefined && LOOPBACK_HOST.test(host);

/** Whether an address of a socket is this machine's own. */
export const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && LOOPBACK_ADDRESS.test(address);

/** Whether an `Origin` header belongs to a page that this machine itself serves; one without an origin (`null`) does not. */
export const isLoopbackOrigin = (origin: string): boolean => {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return isLoopbackHost(authority);
};
