package example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/** A web application with Spring Security: authorization code flow with PKCE, userinfo, and logout. */
@SpringBootApplication
@RestController
public class Quickstart {
    public static void main(String[] arguments) {
        SpringApplication.run(Quickstart.class, arguments);
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
        var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
        // Sinete requires PKCE of every client.
        requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
        var logout = new OidcClientInitiatedLogoutSuccessHandler(clients);
        logout.setPostLogoutRedirectUri("{baseUrl}/");
        return http
            .authorizeHttpRequests(paths -> paths.requestMatchers("/").permitAll().anyRequest().authenticated())
            .oauth2Login(login -> login.authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(requests)))
            .logout(it -> it.logoutSuccessHandler(logout))
            .build();
    }

    @GetMapping(path = "/", produces = "text/html")
    String home(@AuthenticationPrincipal OidcUser user) {
        if (user == null) {
            return "<a href=\"/oauth2/authorization/sinete\">Sign in</a>";
        }
        var text = "Signed in as " + user.getFullName() + " (" + user.getEmail() + ")";
        return "<p>" + HtmlUtils.htmlEscape(text) + "</p><a href=\"/logout\">Sign out</a>";
    }
}
