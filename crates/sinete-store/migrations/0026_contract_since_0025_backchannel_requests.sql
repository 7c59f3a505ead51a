-- Nothing ever wrote to it: what clients ask people to approve is kept in approval_requests.
DROP TABLE backchannel_requests;
