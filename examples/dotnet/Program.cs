// A web application with ASP.NET Core: authorization code flow with PKCE, userinfo, and logout.

using System.Net;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var issuer = Environment.GetEnvironmentVariable("ISSUER") ?? "http://localhost:8080";
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddAuthorization();
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = issuer;
        options.RequireHttpsMetadata = issuer.StartsWith("https://");
        options.ClientId = "quickstart-dotnet";
        // The handler sends the secret in the request body: the client authentication is client_secret_post.
        options.ClientSecret = Environment.GetEnvironmentVariable("CLIENT_SECRET");
        options.ResponseType = "code";
        // The default form_post needs cookies with SameSite=None, which browsers accept over https only.
        options.ResponseMode = "query";
        options.CallbackPath = "/callback";
        options.SignedOutCallbackPath = "/signed-out";
        options.Scope.Add("email");
        options.GetClaimsFromUserInfoEndpoint = true;
        options.MapInboundClaims = false;
        // Stores the ID token in the encrypted cookie: logout sends it as id_token_hint.
        options.SaveTokens = true;
    });
var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();

app.MapGet("/", (HttpContext context) =>
{
    string Claim(string name) => WebUtility.HtmlEncode(context.User.FindFirst(name)?.Value ?? "");
    var page = context.User.Identity?.IsAuthenticated == true
        ? $"<p>Signed in as {Claim("name")} ({Claim("email")})</p><a href=\"/logout\">Sign out</a>"
        : "<a href=\"/login\">Sign in</a>";
    return Results.Content(page, "text/html");
});
app.MapGet("/login", () => Results.Challenge(new AuthenticationProperties { RedirectUri = "/" }));
app.MapGet("/logout", () => Results.SignOut(
    new AuthenticationProperties { RedirectUri = "/" },
    [CookieAuthenticationDefaults.AuthenticationScheme, OpenIdConnectDefaults.AuthenticationScheme]));
app.Run("http://localhost:3000");
