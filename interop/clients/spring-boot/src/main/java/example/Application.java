package example;

import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {
    public static void main(String[] arguments) {
        SpringApplication.run(Application.class, arguments);
    }

    /** The API: it requires an access token of Sinete with the permission. */
    @Bean
    @Order(1)
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        return http.securityMatcher("/api/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_invoices:read"))
                .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                .build();
    }

    /** Access tokens have the type at+jwt (RFC 9068), which Spring Security rejects unless it is configured. */
    @Bean
    JwtDecoder decoder(@Value("${ISSUER}") String issuer, @Value("${API}") String audience) {
        var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).jwsAlgorithm(SignatureAlgorithm.ES256).build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator().issuer(issuer).audience(audience).build());
        return decoder;
    }

    /** The pages: sign-in at Sinete, and logout that also ends the session there. */
    @Bean
    SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository registrations) throws Exception {
        var logout = new OidcClientInitiatedLogoutSuccessHandler(registrations);
        logout.setPostLogoutRedirectUri("{baseUrl}");
        return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .oauth2Login(Customizer.withDefaults())
                .logout(end -> end.logoutSuccessHandler(logout))
                .build();
    }

    @GetMapping("/me")
    Map<String, Object> me(@AuthenticationPrincipal OidcUser user, @RegisteredOAuth2AuthorizedClient("sinete") OAuth2AuthorizedClient client) {
        return Map.of("claims", user.getClaims(), "access_token", client.getAccessToken().getTokenValue());
    }

    @GetMapping("/api/invoices")
    Map<String, Object> invoices(@AuthenticationPrincipal Jwt token) {
        return Map.of("invoices", new String[] {"2026-001"}, "sub", token.getSubject());
    }
}
