// Package sinete is a client library for Sinete: verify access tokens in an API ([AccessTokenVerifier]), request tokens as a
// service ([TokenClient]), call the management API ([ManagementClient]). It needs the standard library only. Every client is
// safe for concurrent use: create one and share it.
package sinete
