"""Authlib with Flask, as its documentation shows it."""

import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
app.secret_key = "a-long-random-text-of-your-own"
oauth = OAuth(app)
oauth.register(
    "sinete",
    client_id="flask",
    client_secret=os.environ["SECRET"],
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.route("/")
def index():
    user = session.get("user")
    return f"signed in as {user}" if user else "signed out"


@app.route("/login")
def login():
    return oauth.sinete.authorize_redirect(os.environ["APP"] + "/callback")


@app.route("/callback")
def callback():
    token = oauth.sinete.authorize_access_token()
    # The ID token identifies the user; userinfo returns name and e-mail address.
    userinfo = oauth.sinete.userinfo(token=token)
    session["user"] = {"id_token": dict(token["userinfo"]), "userinfo": dict(userinfo)}
    return redirect(url_for("index"))


app.run("127.0.0.1", int(os.environ["APP_PORT"]))
