import { getServerSession } from "next-auth";
import { options } from "../options.js";

export const dynamic = "force-dynamic";

export default async function Page() {
  return <pre>{JSON.stringify((await getServerSession(options)) ?? { user: null })}</pre>;
}
