"""Calls the named tools through mcp-remote over standard input and output, like a desktop application."""

import json
import re
import subprocess
import sys
import threading

command, tools = sys.argv[1:-1], sys.argv[-1].split(",")
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def watch():
    for line in process.stderr:
        print(line.rstrip(), flush=True)
        found = re.search(r"https?://\S+/connect/authorize\S*", line)
        if found:
            print(f"OPEN {found[0]}", flush=True)


threading.Thread(target=watch, daemon=True).start()


def send(message):
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def ask(number, method, params):
    send({"id": number, "method": method, "params": params})
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer
    sys.exit("FAILED mcp-remote ended")


ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "interop", "version": "1"}})
send({"method": "notifications/initialized"})
for number, name in enumerate(tools, 2):
    answer = ask(number, "tools/call", {"name": name, "arguments": {}})
    if "result" in answer:
        print(f"TOOL {name}: {answer['result']['content'][0]['text']}", flush=True)
    else:
        print(f"FAILED {name}: {answer['error'].get('message')}", flush=True)
process.terminate()
