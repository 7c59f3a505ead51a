module sinete.example/client

go 1.24
