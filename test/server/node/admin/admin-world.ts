/** An AdminServer on a free port of the loopback interface. */
export const ADMIN = {
  'admin.enableServer': 'true',
  'admin.serverAddress': '127.0.0.1',
  'admin.serverPort': '0',
};
