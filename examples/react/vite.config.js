import react from "@vitejs/plugin-react";

const { API_PORT = "3001", ISSUER = "http://localhost:8080" } = process.env;

export default {
  plugins: [react()],
  define: { __ISSUER__: JSON.stringify(ISSUER) },
  // The page calls the API on its own origin.
  server: { host: "localhost", proxy: { "/api": `http://localhost:${API_PORT}` } },
};
